// Ends rests at their times, with one timer for the earliest. The times are read from the store, so that they survive
// restarts, and one machine of several ends each rest.
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { AuditEntry } from "../../audit/audit_table.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import type { EventBus } from "../../events/bus.ts";
import { currentRest } from "../execution.ts";
import { requireExecution } from "../record/execution_reads.ts";
import type { EndedRest } from "../record/ending_store.ts";
import { NotResting } from "../refusals.ts";
import type { ActiveRuns } from "./active_runs.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import type { Runs } from "./runs.ts";

/**
 * The maximum time between two reads in milliseconds. Short sleeps notice a suspended machine, a changed clock, and rests
 * of a machine that has died.
 */
const LONGEST_SLEEP_MS = MINUTE_MS;
/**
 * With this number of active runs or more, the process ends one rest a second. So many rests with the same end do not
 * overload it, and no rest waits for a time with fewer runs.
 */
const MANY_ACTIVE = 100;
const RETRY = { firstMs: 5 * SECOND_MS, longestMs: MINUTE_MS };

type Ports = Pick<RunnerPorts, "clock" | "log" | "rests" | "shared" | "executions"> & {
  active: Pick<ActiveRuns, "count" | "track">;
  runs: Pick<Runs, "resume">;
  events: Pick<EventBus, "subscribe">;
};

/** Ends rests at their times, or when a person asks for it. */
export class RestTimer implements AsyncDisposable {
  readonly #ports: Ports;
  readonly #loop: WorkLoop;
  #unsubscribe = () => {};

  constructor(ports: Ports) {
    this.#ports = ports;
    const { clock, log } = ports;
    const message = "Resting executions could not be continued; tried again soon";
    this.#loop = new WorkLoop({
      clock,
      work: () => this.#endDue(),
      failed: (error) => log.write("error", message, { error }),
      retry: RETRY,
    });
  }

  /** Starts the timer. Rests whose time is over end at once. */
  start(): void {
    this.#unsubscribe = this.#ports.events.subscribe(({ type }) => {
      if (type === "execution_resting") this.#loop.wake();
    });
    this.#loop.wake();
  }

  /**
   * Ends the rest of an execution, or of the descendant for which it rests, before its time. Throws ExecutionNotFound and
   * NotResting.
   */
  async endEarly(id: number, audit?: AuditEntry): Promise<void> {
    const { executions, clock } = this.#ports;
    const read = async () => (await requireExecution(executions, id)).execution;
    const rest = currentRest(await read());
    if (rest?.childId !== undefined) return await this.endEarly(rest.childId, audit);
    const isEnded = rest !== undefined && await this.#end(id, "person", audit);
    if (!isEnded) throw new NotResting(await read(), clock.now());
  }

  /** Stops the timer, and waits for a rest that is being ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#loop[Symbol.asyncDispose]();
  }

  /** Ends the rests whose time is over. Returns the milliseconds until the next read. */
  async #endDue(): Promise<number | undefined> {
    const { active, clock, rests, shared } = this.#ports;
    while (!this.#loop.signal.aborted) {
      const next = await rests.readNextRest();
      // Other machines may have rests that this one has to end after their death.
      if (next === undefined) return shared === undefined ? undefined : LONGEST_SLEEP_MS;
      const ms = next.until - clock.now();
      if (ms > 0) return Math.min(ms, LONGEST_SLEEP_MS);
      const isBusy = active.count >= MANY_ACTIVE;
      // Tracked, because the end of a rest starts the execution.
      await active.track(this.#end(next.id, "time"));
      if (isBusy) return SECOND_MS;
    }
    return undefined;
  }

  /** Ends a rest and continues the execution and the ancestors that rested for it. Returns false if it does not rest. */
  async #end(id: number, by: EndedRest["by"], audit?: AuditEntry): Promise<boolean> {
    const { rests, runs, clock, executions } = this.#ports;
    const ended = await rests.endRest(id, { at: clock.now(), by }, audit);
    if (ended === undefined) return false;
    for (const one of [ended.execution, ...ended.ancestors]) {
      await runs.resume(await requireExecution(executions, one.id));
    }
    return true;
  }
}
