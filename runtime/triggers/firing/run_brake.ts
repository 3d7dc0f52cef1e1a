// Limits the number of runs of one agent within ten minutes.
import type { Agent } from "../../agents/agent.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import type { EventBus } from "../../events/bus.ts";
import { RESTART, type StoppedTriggers } from "./stopped_triggers.ts";

/** The length of the window in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;

/** Counts the runs of each agent in the last ten minutes. */
export class RecentRuns {
  readonly #clock: Pick<Clock, "now">;
  /** For each agent id: the start time of each execution id, in milliseconds since the epoch. */
  readonly #starts = new Map<string, Map<number, number>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /**
   * Returns the reason if the agent has reached `maxRuns`, otherwise undefined. The reason names `cause` (the events that
   * started the runs) and `limit` (the source of the limit).
   */
  refusal(
    agentId: string,
    { maxRuns, cause, limit }: { maxRuns: number; cause: string; limit: string },
  ): string | undefined {
    if (this.#recent(agentId).size < maxRuns) return undefined;
    const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
    return `${cause} started it ${times} within ten minutes, as often as ${limit}`;
  }

  /** Records the start of a run. Recording it twice changes nothing. */
  started(agentId: string, executionId: number): void {
    const starts = this.#recent(agentId);
    if (!starts.has(executionId)) starts.set(executionId, this.#clock.now());
    this.#starts.set(agentId, starts);
  }

  /** Resets the count of an agent to zero. */
  reset(agentId: string): void {
    this.#starts.delete(agentId);
  }

  #recent(agentId: string): Map<number, number> {
    const now = this.#clock.now();
    const starts = this.#starts.get(agentId) ?? new Map<number, number>();
    // A start time after `now` was recorded before the clock was set back, and is not counted.
    for (const [id, at] of starts) if (at > now || now - at >= COUNTED_MS) starts.delete(id);
    return starts;
  }
}

/** The collaborators of `RunBrake`. */
export interface RunBrakePorts {
  clock: Pick<Clock, "now">;
  stops: StoppedTriggers;
  events: EventBus;
}

/** Limits the runs that webhook deliveries or follow-ups start. Stops the trigger of an agent that reaches the limit. */
export class RunBrake {
  readonly #stops: StoppedTriggers;
  readonly #runs: RecentRuns;

  constructor({ clock, stops, events }: RunBrakePorts) {
    this.#stops = stops;
    this.#runs = new RecentRuns(clock);
    events.subscribe((event) => {
      if (event.type === "trigger_changed" && event.status === "running") {
        this.#runs.reset(event.agentId);
      }
    });
  }

  /**
   * Returns true if the agent may start one more run. Stops the trigger if the agent has reached `maxRuns`. `cause` names
   * the events that start the runs, for the reason.
   */
  admits(agent: Agent, { maxRuns, cause }: { maxRuns: number; cause: string }): boolean {
    if (!this.#stops.admits(agent.id)) return false;
    const reason = this.#runs.refusal(agent.id, { maxRuns, cause, limit: "may be" });
    if (reason === undefined) return true;
    this.#stops.stop(agent, { what: "trigger", by: "runs", reason, remedy: RESTART });
    return false;
  }

  /** Records the start of a run. Recording it twice changes nothing. */
  started(agentId: string, executionId: number): void {
    this.#runs.started(agentId, executionId);
  }
}
