// Starts agents whose `after` trigger names an agent that has ended. Each stored end gets one run; an end that cannot
// start its run yet keeps its place.
import type { Agent } from "../../agents/agent.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ServiceEvent } from "../../events/bus.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import type { FindHoldReason, StartRun } from "../firing/fire.ts";
import type { ReconcileOptions } from "../firing/reconcile_options.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { RunBrake, type RunBrakePorts } from "../firing/run_brake.ts";
import type { FollowUp, SqlFollowUpStore } from "./follow_up_store.ts";

/** The longest chain of `after` runs. It bounds agents that follow each other in a circle. */
export const MAX_FOLLOWED = 10;
/** The most `after` runs of one agent within ten minutes. One more stops the trigger. */
const MAX_RUNS = 200;
const NO_LONGER_FOLLOWS = "it does not follow any longer";
/** The wait after a failure to start a run. */
const RETRY = { firstMs: 5_000, longestMs: 300_000 };

const WAKING: ReadonlySet<ServiceEvent["type"]> = new Set([
  "execution_completed",
  "execution_resumed",
  "trigger_changed",
]);

/** The collaborators of `FollowUps`. */
export interface FollowUpsPorts extends RunBrakePorts {
  store: SqlFollowUpStore;
  start: StartRun;
  /** Returns the agent as its file defines it now. */
  findAgent(id: string): Agent | undefined;
  isUnreadable: ReconcileOptions["isUnreadable"];
  isPaused: () => Promise<boolean>;
  findHoldReason?: FindHoldReason;
  /** True when several machines share the store. */
  isShared?: boolean;
  clock: Clock;
  log: ServiceLog;
}

/** Starts the runs of all agents that follow others. */
export class FollowUps implements AsyncDisposable {
  readonly #ports: FollowUpsPorts;
  readonly #brake: RunBrake;
  readonly #loop: WorkLoop;
  readonly #unsubscribe: () => void;
  #isStarted = false;

  constructor(ports: FollowUpsPorts) {
    this.#ports = ports;
    this.#brake = new RunBrake(ports);
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#startAll(),
      failed: (error) => {
        const message = "Cannot start an agent that follows another; it is tried again";
        ports.log.write("error", message, { error });
      },
      retry: RETRY,
    });
    this.#unsubscribe = ports.events.subscribe(({ type }) => {
      // An end, a resumed conversation or a re-armed trigger may make room for a follow-up.
      if (WAKING.has(type)) this.wake();
    });
  }

  /** Starts the follow-ups that the last process left. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Tries all pending follow-ups again. */
  wake(): void {
    if (this.#isStarted) this.#loop.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#loop[Symbol.asyncDispose]();
  }

  /** Tries all pending follow-ups. Returns the wait for a budget; undefined: an event reports the next chance. */
  async #startAll(): Promise<number | undefined> {
    const { store, isPaused } = this.#ports;
    /** The followers whose conversation waits for a person. Their later follow-ups must not overtake the first. */
    const held = new Set<string>();
    let waitMs: number | undefined;
    for (const followUp of await store.listFollowUps()) {
      if (this.#loop.signal.aborted || await isPaused()) return undefined;
      if (held.has(followUp.follower)) continue;
      const outcome = await this.#startOne(followUp);
      if (outcome === "stopping") return undefined;
      if (outcome !== "settled") held.add(followUp.follower);
      // No event announces a new day or a raised budget.
      if (outcome === "budget") waitMs = MINUTE_MS;
    }
    return waitMs;
  }

  async #startOne(followUp: FollowUp): Promise<"settled" | "waiting" | "budget" | "stopping"> {
    const { findAgent, isUnreadable, start } = this.#ports;
    const { follower, output, depth, ...ended } = followUp;
    const agent = findAgent(follower);
    if (agent === undefined && isUnreadable(follower)) return "waiting";
    if (agent === undefined || !agent.enabled || !follows(agent, ended.agentId)) {
      return await this.#drop(followUp, "info", NO_LONGER_FOLLOWS);
    }
    const held = await this.#ports.findHoldReason?.(agent);
    if (held !== undefined) {
      // The service that the agent is meant for reads the same store.
      return this.#ports.isShared ? "waiting" : await this.#drop(followUp, "info", held);
    }
    if (depth >= MAX_FOLLOWED) {
      const reason = `${MAX_FOLLOWED} agents in a row were started by the end of the one before`;
      return await this.#drop(followUp, "warn", reason);
    }
    if (!this.#brake.admits(agent, { maxRuns: MAX_RUNS, cause: "the ends of others" })) {
      return "waiting";
    }
    const fired = await start(agent, { type: "after", ...ended, depth: depth + 1, output });
    switch (fired.outcome) {
      case "started":
        this.#brake.started(follower, fired.executionId);
        return "settled";
      case "claimed":
        return "settled";
      case "withdrawn":
        return await this.#drop(followUp, "info", NO_LONGER_FOLLOWS);
      case "running":
      case "waiting":
        return "waiting";
      case "budget":
      case "stopping":
        return fired.outcome;
      default:
        return fired satisfies never;
    }
  }

  async #drop(followUp: FollowUp, level: "info" | "warn", reason: string): Promise<"settled"> {
    const { follower: agent, executionId: after } = followUp;
    await this.#ports.store.dropFollowUp(followUp);
    this.#ports.log.write(level, `The agent does not follow: ${reason}`, { agent, after });
    return "settled";
  }
}

/** Returns true when the agent follows the other agent. */
export function follows({ after }: Agent, agentId: string): boolean {
  return after.some((one) => one.agentId === agentId);
}
