// Stops what starts an agent too often from outside of it: deliveries, and the ends of other agents.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { EventBus } from "../events/bus.ts";
import { RESTART, type StoppedTriggers } from "./stopped_triggers.ts";

/** The time in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;

/** What a brake needs. */
export interface RunBrakePorts {
  clock: Pick<Clock, "now">;
  stops: StoppedTriggers;
  events: EventBus;
}

/** Counts the runs of each agent that one kind of trigger starts, and stops that of an agent with too many. */
export class RunBrake {
  readonly #ports: RunBrakePorts;
  /** When each run of the last ten minutes began, by its execution. */
  readonly #starts = new Map<string, Map<number, number>>();

  constructor(ports: RunBrakePorts) {
    this.#ports = ports;
    ports.events.subscribe((event) => {
      if (event.type === "trigger_changed" && event.status === "running") {
        this.#starts.delete(event.agentId);
      }
    });
  }

  /** Whether one more run may begin. Where there were as many as may be, the trigger is stopped. `cause`: what starts them. */
  admits(agent: Agent, { maxRuns, cause }: { maxRuns: number; cause: string }): boolean {
    const { stops } = this.#ports;
    if (!stops.admits(agent.id)) return false;
    if (this.#recent(agent.id).size < maxRuns) return true;
    const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
    const reason = `${cause} started it ${times} within ten minutes, as often as may be`;
    stops.stop(agent, { what: "trigger", by: "runs", reason, remedy: RESTART });
    return false;
  }

  /** A run began; telling it again changes nothing. */
  started(agentId: string, executionId: number): void {
    const starts = this.#recent(agentId);
    if (!starts.has(executionId)) starts.set(executionId, this.#ports.clock.now());
    this.#starts.set(agentId, starts);
  }

  #recent(agentId: string): Map<number, number> {
    const now = this.#ports.clock.now();
    const starts = this.#starts.get(agentId) ?? new Map<number, number>();
    // A clock that was set back leaves later ones: they count no more.
    for (const [id, at] of starts) if (at > now || now - at >= COUNTED_MS) starts.delete(id);
    return starts;
  }
}
