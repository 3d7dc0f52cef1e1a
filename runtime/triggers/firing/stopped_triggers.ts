// The stopped triggers, with reasons. A trigger stopped by a loop or by too many runs stays stopped until a person resumes
// it. A trigger stopped by failing runs is retried after an hour, then daily, and re-armed when a run succeeds. The code
// that ends executions counts failures and stores these stops.
import type { Context } from "../../config/context.ts";
import { type Agent, agentDigest, type Trigger } from "../../agents/agent.ts";
import type { AuditEntry } from "../../audit/audit_table.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/time_units.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import type { EventBus, ServiceEvent, TriggerStop } from "../../events/bus.ts";
import { TRIGGER_KINDS } from "../../vocabulary/trigger_kinds.ts";
import type { SqlTriggerStateStore } from "./trigger_state_store.ts";
import type { ReconcileOptions } from "./fire.ts";

/** The length of the window in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;
/** The maximum sleep. After a suspend of the machine, a due retry starts within this time. */
const LONGEST_SLEEP_MS = MINUTE_MS;

/** The remedy in the message about a trigger stopped by a loop or by too many runs. */
const RESTART =
  "Edit the agent, resume it (inkling resume) or the scheduler, or reload the agents to start it again.";

/** A kind of event that starts runs: a kind of trigger, or the end of another agent. */
type CountedKind = Trigger["type"] | "after";

/** The collaborators of `StoppedTriggers`. */
export interface StoppedTriggersPorts extends Pick<Context, "clock" | "log" | "redactor"> {
  store: SqlTriggerStateStore;
  /**
   * The events of this service and of other machines. Each stop and each re-arming is published there, and those of other
   * machines arrive there.
   */
  events: EventBus;
  /** True when several machines share the database. */
  isShared?: boolean;
}

/** A stopped trigger, with the texts to show and the state of its retry. */
interface Stop extends TriggerStop {
  displayName: string;
  reason: string;
  /** True when `onDue` was called for the present retry time. */
  isDue: boolean;
}

/**
 * The stopped triggers of all agents. It must subscribe to events before the objects that query it, so construct it first.
 */
export class StoppedTriggers implements AsyncDisposable {
  readonly #ports: StoppedTriggersPorts;
  readonly #stops = new Map<string, Stop>();
  /** For each agent id: the kind and the start time (milliseconds since the epoch) of each execution id. */
  readonly #runs = new Map<string, Map<number, { kind: CountedKind; at: number }>>();
  readonly #tries: WorkLoop;
  readonly #unsubscribe: () => void;
  #isLoaded = false;
  #agents: readonly Agent[] = [];
  #onDue: (() => void) | undefined;

  constructor(ports: StoppedTriggersPorts) {
    this.#ports = ports;
    this.#tries = new WorkLoop({
      clock: ports.clock,
      work: () => Promise.resolve(this.#reportDue()),
      failed: (error) => {
        ports.log.write("error", "Stopped triggers could not be tried; tried again soon", {
          error,
        });
      },
      retry: { firstMs: LONGEST_SLEEP_MS, longestMs: LONGEST_SLEEP_MS },
    });
    this.#unsubscribe = ports.events.subscribe((event) => this.#handleEvent(event));
  }

  /** Returns the reason why an agent's trigger is stopped, or null if it is not stopped. */
  reasonOf(agentId: string): string | null {
    return this.#stops.get(agentId)?.reason ?? null;
  }

  /** Returns the stop of an agent's trigger, or undefined if it is not stopped. */
  find(agentId: string): Readonly<TriggerStop> | undefined {
    return this.#stops.get(agentId);
  }

  /** Returns true if an agent's trigger may start a run: it is not stopped, or its retry is due. */
  admits(agentId: string): boolean {
    const stop = this.#stops.get(agentId);
    return stop === undefined || this.#untilTry(stop) <= 0;
  }

  /**
   * As admits(), for a kind of event whose runs are limited. Stops the trigger of an agent that has reached the limit, with
   * a reason that names the events (`cause`) and the source of the limit.
   */
  admitsRun(
    agent: Agent,
    { kind, maxRuns, cause, limit = "may be" }: {
      kind: CountedKind;
      maxRuns: number;
      cause: string;
      limit?: string;
    },
  ): boolean {
    if (!this.admits(agent.id)) return false;
    const runs = this.#recentRuns(agent.id).values().filter((run) => run.kind === kind).toArray();
    if (runs.length < maxRuns) return true;
    const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
    const reason = `${cause} started it ${times} within ten minutes, as often as ${limit}`;
    this.stop(agent, { what: kind === "watch" ? "watch" : "trigger", by: "runs", reason });
    return false;
  }

  /**
   * Records the start of a run. Recording it twice changes nothing. If the trigger is stopped, this run is the retry, and the
   * next retry is one day later.
   */
  async started(agentId: string, executionId: number, kind: CountedKind): Promise<void> {
    const runs = this.#recentRuns(agentId);
    if (!runs.has(executionId)) runs.set(executionId, { kind, at: this.#ports.clock.now() });
    this.#runs.set(agentId, runs);
    const stop = this.#stops.get(agentId);
    if (stop === undefined || stop.retryAt === null) return;
    stop.retryAt = this.#ports.clock.now() + DAY_MS;
    stop.isDue = false;
    this.#waitForTries();
    await this.#ports.store.postponeTry(agentId, stop.retryAt);
  }

  /**
   * Stops the trigger of an agent. Does nothing if it is already stopped. `what` is the kind of trigger named in the logged
   * message.
   */
  stop(
    agent: Agent,
    { what, by, reason, remedy = RESTART }: {
      what: string;
      by: Exclude<TriggerStop["by"], "failures">;
      reason: string;
      remedy?: string;
    },
  ): void {
    const { id, displayName } = agent;
    if (this.#stops.has(id)) return;
    const message = `The ${what} of agent "${id}" is stopped: ${reason}. ${remedy}`;
    this.#ports.log.write("warn", message, { agent: id });
    const stop: TriggerStop = { by, retryAt: null, print: agentDigest(agent) };
    // The reason may contain the name of a file.
    const shown = this.#ports.redactor.redact(reason);
    this.#publish({ agentId: id, displayName, status: "paused", reason: shown, stop });
  }

  /**
   * Re-arms the stopped triggers that `isResumed` accepts, except watches stopped for their size. Returns the number of
   * dropped file changes.
   */
  async resume(
    isResumed: (agentId: string, stop: TriggerStop) => boolean,
    audit?: AuditEntry,
  ): Promise<number> {
    let dropped = 0;
    for (const [id, stop] of this.#stops) {
      if (stop.by !== "size" && isResumed(id, stop)) dropped += await this.release(id, audit);
    }
    return dropped;
  }

  /** Re-arms one stopped trigger, whatever stopped it. Returns the number of dropped file changes. */
  async release(agentId: string, audit?: AuditEntry): Promise<number> {
    const stop = this.#stops.get(agentId);
    if (stop === undefined) return 0;
    const dropsChanges = stop.by === "loop" || stop.by === "failures";
    const changes = await this.#ports.store.release(agentId, { dropsChanges, audit });
    const { displayName } = stop;
    this.#publish({ agentId, displayName, status: "running", reason: null });
    if (changes > 0) {
      const message = "File changes that came while the trigger was stopped are dropped";
      this.#ports.log.write("warn", message, { agent: agentId, changes });
    }
    return changes;
  }

  /**
   * Re-arms the stopped triggers of edited and removed agents. Reads the stored stops once, as soon as an agent has a
   * trigger that starts runs by itself.
   */
  async follow(agents: readonly Agent[], { isUnreadable }: ReconcileOptions): Promise<void> {
    this.#agents = agents;
    if (!this.#isLoaded && agents.some(startsByItself)) await this.reload();
    for (const [id, { by, print }] of this.#stops) {
      const agent = agents.find((one) => one.id === id);
      // With a shared database, the file of a missing agent may be on another machine.
      const isGone = agent === undefined && !isUnreadable(id) && !this.#ports.isShared;
      // A watch stopped for its size stays stopped until the agent watches other paths.
      const isEdited = agent !== undefined && by !== "size" && agentDigest(agent) !== print;
      if (isGone || isEdited) await this.release(id);
    }
  }

  /** Replaces the known stops for failing runs with the stops in the database. */
  async reload(): Promise<void> {
    const stored = await this.#ports.store.readStopped();
    this.#isLoaded = true;
    for (const [id, { by }] of this.#stops) {
      if (by === "failures" && !stored.some(({ agentId }) => agentId === id)) {
        this.#stops.delete(id);
      }
    }
    for (const { agentId, ...stop } of stored) {
      const displayName = this.#agents.find(({ id }) => id === agentId)?.displayName ?? agentId;
      this.#stops.set(agentId, { ...stop, by: "failures", displayName, isDue: false });
    }
    this.#waitForTries();
  }

  /** Starts calling `onDue` each time a retry becomes due. */
  start(onDue: () => void): void {
    this.#onDue = onDue;
    this.#waitForTries();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#tries[Symbol.asyncDispose]();
  }

  #handleEvent(event: ServiceEvent): void {
    if (event.type !== "trigger_changed") return;
    const { agentId, displayName, reason, stop } = event;
    if (event.status === "running") this.#runs.delete(agentId);
    if (reason === null || stop === undefined) this.#stops.delete(agentId);
    else this.#stops.set(agentId, { ...stop, displayName, reason, isDue: false });
    this.#waitForTries();
  }

  #recentRuns(agentId: string): Map<number, { kind: CountedKind; at: number }> {
    const now = this.#ports.clock.now();
    const runs = this.#runs.get(agentId) ?? new Map();
    // A start time after `now` was recorded before the clock was set back, and is not counted.
    for (const [id, { at }] of runs) if (at > now || now - at >= COUNTED_MS) runs.delete(id);
    return runs;
  }

  #publish(change: Omit<Extract<ServiceEvent, { type: "trigger_changed" }>, "type">): void {
    this.#ports.events.publish({ type: "trigger_changed", ...change });
  }

  /** Returns the milliseconds until a stopped trigger's retry; Infinity without a retry. */
  #untilTry({ retryAt }: Stop): number {
    if (retryAt === null) return Infinity;
    const ms = retryAt - this.#ports.clock.now();
    // A retry is never planned more than a day ahead, so the clock was set back. The retry is due at once.
    return ms > DAY_MS ? 0 : ms;
  }

  #waitForTries(): void {
    if (this.#onDue !== undefined) this.#tries.start();
  }

  /**
   * Calls `onDue` if retries are due. Returns the milliseconds until the next check, or undefined if no retry is planned.
   */
  #reportDue(): number | undefined {
    const waiting = [...this.#stops.values()].filter(({ retryAt, isDue }) =>
      retryAt !== null && !isDue
    );
    if (waiting.length === 0) return undefined;
    const due = waiting.filter((stop) => this.#untilTry(stop) <= 0);
    for (const stop of due) stop.isDue = true;
    if (due.length > 0) this.#onDue?.();
    return Math.min(LONGEST_SLEEP_MS, ...waiting.map((stop) => this.#untilTry(stop)));
  }
}

function startsByItself({ enabled, trigger, after }: Agent): boolean {
  return enabled && (TRIGGER_KINDS[trigger.type].isAutomatic || after.length > 0);
}
