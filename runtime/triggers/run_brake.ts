// Stops what starts an agent too often from outside of it: deliveries, and the ends of other agents.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { EventBus } from "../events/bus.ts";
import type { ServiceLog } from "../service_log/service_log.ts";

/** The time in which runs are counted. */
const COUNTED_MS = 10 * MINUTE_MS;

/** What a brake needs. */
export interface RunBrakePorts {
  clock: Pick<Clock, "now">;
  log: ServiceLog;
  /** Is told when a trigger is stopped, and when it fires once more. */
  events: EventBus;
}

/** Counts the runs of each agent that one kind of trigger starts, and stops that of an agent with too many. */
export class RunBrake {
  readonly #ports: RunBrakePorts;
  /** When each run of the last ten minutes began, by its execution. */
  readonly #starts = new Map<string, Map<number, number>>();
  readonly #stopped = new Map<string, { agent: Agent; reason: string }>();

  constructor(ports: RunBrakePorts) {
    this.#ports = ports;
  }

  /** Why an agent's trigger is stopped; null while it is not. */
  reasonOf(agentId: string): string | null {
    return this.#stopped.get(agentId)?.reason ?? null;
  }

  /** Whether one more run may begin. Where there were as many as may be, the trigger is stopped. `cause`: what starts them. */
  admits(agent: Agent, { maxRuns, cause }: { maxRuns: number; cause: string }): boolean {
    if (this.#stopped.has(agent.id)) return false;
    if (this.#recent(agent.id).size < maxRuns) return true;
    const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
    const reason = `${cause} started it ${times} within ten minutes, as often as may be`;
    this.#stopped.set(agent.id, { agent, reason });
    const remedy = "Edit the agent, resume the scheduler or reload the agents to start it again.";
    const message = `The trigger of agent "${agent.id}" is stopped: ${reason}. ${remedy}`;
    this.#ports.log.write("warn", message, { agent: agent.id });
    this.#tell(agent, reason);
    return false;
  }

  /** A run began; telling it again changes nothing. */
  started(agentId: string, executionId: number): void {
    const starts = this.#recent(agentId);
    if (!starts.has(executionId)) starts.set(executionId, this.#ports.clock.now());
    this.#starts.set(agentId, starts);
  }

  /** Lets an agent that was edited, or is gone, begin anew. */
  follow(agents: readonly Agent[]): void {
    // Agents are immutable: another object is another file.
    this.#release(({ agent }) => !agents.includes(agent));
  }

  /** Lets every trigger that was stopped fire once more. */
  reset(): void {
    this.#release(() => true);
  }

  #release(isReleased: (stopped: { agent: Agent }) => boolean): void {
    for (const [id, stopped] of this.#stopped) {
      if (!isReleased(stopped)) continue;
      this.#stopped.delete(id);
      // Only now it is counted anew: asking for it over and over must not keep a loop going.
      this.#starts.delete(id);
      this.#tell(stopped.agent, null);
    }
  }

  #recent(agentId: string): Map<number, number> {
    const now = this.#ports.clock.now();
    const starts = this.#starts.get(agentId) ?? new Map<number, number>();
    // A clock that was set back leaves later ones: they count no more.
    for (const [id, at] of starts) if (at > now || now - at >= COUNTED_MS) starts.delete(id);
    return starts;
  }

  #tell({ id, displayName }: Agent, reason: string | null): void {
    const status = reason === null ? "running" : "paused";
    this.#ports.events.publish({
      type: "trigger_changed",
      agentId: id,
      displayName,
      status,
      reason,
    });
  }
}
