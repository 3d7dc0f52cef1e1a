// Starts the agents whose `after` setting names an agent that has ended. Each follow-up starts one run. A follow-up that
// cannot start its run yet stays in the table.
import type { TriggerContext } from "../firing/trigger_context.ts";
import type { Agent } from "../../agents/agent.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import type { ServiceEvent } from "../../events/bus.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import { type FollowUp, SqlFollowUpStore } from "./follow_up_store.ts";

/** The maximum number of consecutive `after` runs. It ends a loop of agents that start each other. */
export const MAX_FOLLOWED = 10;
/**
 * The maximum number of `after` runs of one agent within ten minutes. At the limit, the next follow-up stops the agent's
 * trigger.
 */
const LIMIT = { kind: "after", maxRuns: 200, cause: "the ends of others" } as const;
const NO_LONGER_FOLLOWS = "it does not follow any longer";
/** The backoff after a failure to start a run. */
const RETRY = { firstMs: 5_000, longestMs: 300_000 };

const WAKING: ReadonlySet<ServiceEvent["type"]> = new Set([
  "execution_completed",
  "execution_resumed",
  "trigger_changed",
]);

/** Starts the runs of all follow-ups. */
export class FollowUps implements AsyncDisposable {
  readonly #ports: TriggerContext;
  readonly #store: SqlFollowUpStore;
  readonly #loop: WorkLoop;
  readonly #unsubscribe: () => void;
  #isStarted = false;
  /** False if no follow-up was stored after the last attempt. */
  #hasPending = true;

  constructor(ports: TriggerContext) {
    this.#ports = ports;
    this.#store = new SqlFollowUpStore(ports.db);
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#startAll(),
      failed: (error) => {
        const message = "Cannot start an agent that follows another; it is tried again";
        ports.log.write("error", message, { error });
      },
      retry: RETRY,
    });
    this.#unsubscribe = ports.events.subscribe((event) => {
      if (!WAKING.has(event.type)) return;
      const isUnfollowed = event.type === "execution_completed" && !ports.isShared &&
        !ports.registry.list().some((agent) => follows(agent, event.agentId));
      // After one of these events, a follow-up that was waiting may be able to start.
      if (this.#hasPending || !isUnfollowed) this.wake();
    });
  }

  /** Tries to start the pending follow-ups, because an edit of an agent may have removed an obstacle. */
  reconcile(): Promise<void> {
    this.wake();
    return Promise.resolve();
  }

  /** Enables the start of runs, and starts the pending follow-ups of the previous process. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Tries to start all pending follow-ups. Does nothing before `start()`. */
  wake(): void {
    if (this.#isStarted) this.#loop.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#loop[Symbol.asyncDispose]();
  }

  /**
   * Tries to start all pending follow-ups. Returns the milliseconds until the next attempt if a budget is used up,
   * otherwise undefined.
   */
  async #startAll(): Promise<number | undefined> {
    const { isPaused } = this.#ports;
    /**
     * Agents with a follow-up that has to wait. Their later follow-ups are skipped in this pass, so that the order is kept.
     */
    const held = new Set<string>();
    this.#hasPending = true;
    let waitMs: number | undefined;
    for (const followUp of await this.#store.listFollowUps()) {
      if (this.#loop.signal.aborted || await isPaused()) return undefined;
      if (held.has(followUp.follower)) continue;
      const outcome = await this.#startOne(followUp);
      if (outcome === "stopping") return undefined;
      if (outcome !== "settled") held.add(followUp.follower);
      // A budget becomes available without an event (at midnight, or when it is raised), so this method polls.
      if (outcome === "budget") waitMs = MINUTE_MS;
    }
    this.#hasPending = held.size > 0;
    return waitMs;
  }

  async #startOne(followUp: FollowUp): Promise<"settled" | "waiting" | "budget" | "stopping"> {
    const { registry, start } = this.#ports;
    const { follower, output, depth, ...ended } = followUp;
    const agent = registry.get(follower);
    if (agent === undefined && registry.unreadableProblem(follower) !== undefined) return "waiting";
    if (agent === undefined || !agent.enabled || !follows(agent, ended.agentId)) {
      return await this.#drop(followUp, "info", NO_LONGER_FOLLOWS);
    }
    const held = await this.#ports.findHoldReason(agent);
    if (held !== undefined) {
      // With a shared database, the service that may start this agent finds the follow-up there.
      return this.#ports.isShared ? "waiting" : await this.#drop(followUp, "info", held);
    }
    if (depth >= MAX_FOLLOWED) {
      const reason = `${MAX_FOLLOWED} agents in a row were started by the end of the one before`;
      return await this.#drop(followUp, "warn", reason);
    }
    if (!this.#ports.stops.admitsRun(agent, LIMIT)) return "waiting";
    const fired = await start(agent, {
      cause: { type: "after", ...ended, depth: depth + 1 },
      claim: { type: "end", executionId: ended.executionId },
      ...(output !== null && { context: output }),
    });
    switch (fired.outcome) {
      case "started":
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
    await this.#store.dropFollowUp(followUp);
    this.#ports.log.write(level, `The agent does not follow: ${reason}`, { agent, after });
    return "settled";
  }
}

/** Returns true when the `after` setting of the agent names the agent `agentId`. */
export function follows({ after }: Agent, agentId: string): boolean {
  return after.some((one) => one.agentId === agentId);
}
