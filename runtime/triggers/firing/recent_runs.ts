// Counts the runs that the triggers of an agent have started within ten minutes.
import type { Trigger } from "../../agents/agent.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** The length of the window in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;

/** A kind of event that starts runs: a kind of trigger, or the end of another agent. */
export type CountedKind = Trigger["type"] | "after";

/** The limit of the runs that one kind of event starts. */
export interface RunLimit {
  kind: CountedKind;
  maxRuns: number;
  /** The events that start the runs, for the reason. */
  cause: string;
  /** The source of the limit, for the reason. */
  limit?: string;
}

/** Counts the runs of each agent in the last ten minutes. */
export class RecentRuns {
  readonly #clock: Pick<Clock, "now">;
  /** For each agent id: the kind and the start time (milliseconds since the epoch) of each execution id. */
  readonly #starts = new Map<string, Map<number, { kind: CountedKind; at: number }>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Returns the reason if the agent has reached the limit, otherwise undefined. */
  refusal(
    agentId: string,
    { kind, maxRuns, cause, limit = "may be" }: RunLimit,
  ): string | undefined {
    const count =
      this.#recent(agentId).values().filter((run) => run.kind === kind).toArray().length;
    if (count < maxRuns) return undefined;
    const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
    return `${cause} started it ${times} within ten minutes, as often as ${limit}`;
  }

  /** Records the start of a run. Recording it twice changes nothing. */
  started(agentId: string, executionId: number, kind: CountedKind): void {
    const starts = this.#recent(agentId);
    if (!starts.has(executionId)) starts.set(executionId, { kind, at: this.#clock.now() });
    this.#starts.set(agentId, starts);
  }

  /** Resets the counts of an agent to zero. */
  reset(agentId: string): void {
    this.#starts.delete(agentId);
  }

  #recent(agentId: string): Map<number, { kind: CountedKind; at: number }> {
    const now = this.#clock.now();
    const starts = this.#starts.get(agentId) ?? new Map();
    // A start time after `now` was recorded before the clock was set back, and is not counted.
    for (const [id, { at }] of starts) if (at > now || now - at >= COUNTED_MS) starts.delete(id);
    return starts;
  }
}
