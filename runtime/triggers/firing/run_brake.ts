// The limits on the runs of one agent within ten minutes.
import type { Agent } from "../../agents/agent.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import type { EventBus } from "../../events/bus.ts";
import { RESTART, type StoppedTriggers } from "./stopped_triggers.ts";

/** The window in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;

/** Counts the runs of each agent in the last ten minutes. */
export class RecentRuns {
  readonly #clock: Pick<Clock, "now">;
  /** The start times by execution id, by agent. */
  readonly #starts = new Map<string, Map<number, number>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Returns why an agent must not run once more; undefined below its limit. `cause` names the events that start the runs. */
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

  /** Counts an agent's runs from zero. */
  reset(agentId: string): void {
    this.#starts.delete(agentId);
  }

  #recent(agentId: string): Map<number, number> {
    const now = this.#clock.now();
    const starts = this.#starts.get(agentId) ?? new Map<number, number>();
    // Start times after `now` come from a clock that was set back since. They no longer count.
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

/** Counts the runs that deliveries, or the ends of other agents, start. Stops the trigger of an agent with too many. */
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
   * Returns true when one more run may start. At the limit it stops the trigger. `cause` names the events that start
   * the runs.
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
