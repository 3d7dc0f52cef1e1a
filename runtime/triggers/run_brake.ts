// The limit on runs that outside events start: webhook deliveries and the ends of other agents.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { EventBus } from "../events/bus.ts";
import { RESTART, type StoppedTriggers } from "./stopped_triggers.ts";

/** The window in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;

/** The collaborators of `RunBrake`. */
export interface RunBrakePorts {
  clock: Pick<Clock, "now">;
  stops: StoppedTriggers;
  events: EventBus;
}

/** Counts the runs of each agent that one kind of trigger starts. Stops the trigger of an agent with too many. */
export class RunBrake {
  readonly #ports: RunBrakePorts;
  /** The start times of each agent's runs in the last ten minutes, by execution id. */
  readonly #starts = new Map<string, Map<number, number>>();

  constructor(ports: RunBrakePorts) {
    this.#ports = ports;
    ports.events.subscribe((event) => {
      if (event.type === "trigger_changed" && event.status === "running") {
        this.#starts.delete(event.agentId);
      }
    });
  }

  /**
   * Returns true when one more run may start. At the limit it stops the trigger. `cause` names the events that start
   * the runs.
   */
  admits(agent: Agent, { maxRuns, cause }: { maxRuns: number; cause: string }): boolean {
    const { stops } = this.#ports;
    if (!stops.admits(agent.id)) return false;
    if (this.#recent(agent.id).size < maxRuns) return true;
    const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
    const reason = `${cause} started it ${times} within ten minutes, as often as may be`;
    stops.stop(agent, { what: "trigger", by: "runs", reason, remedy: RESTART });
    return false;
  }

  /** Records the start of a run. Recording it twice changes nothing. */
  started(agentId: string, executionId: number): void {
    const starts = this.#recent(agentId);
    if (!starts.has(executionId)) starts.set(executionId, this.#ports.clock.now());
    this.#starts.set(agentId, starts);
  }

  #recent(agentId: string): Map<number, number> {
    const now = this.#ports.clock.now();
    const starts = this.#starts.get(agentId) ?? new Map<number, number>();
    // Start times after `now` come from a clock that was set back since. They no longer count.
    for (const [id, at] of starts) if (at > now || now - at >= COUNTED_MS) starts.delete(id);
    return starts;
  }
}
