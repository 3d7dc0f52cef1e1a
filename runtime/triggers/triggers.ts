// Everything that fires by itself, as one: schedules, watches, and the pause over both.
import type { Agent } from "../agents/agent.ts";
import type { Pause, SchedulerState } from "./pause.ts";

/** The triggers of a service. */
export class Triggers {
  readonly #ports: { pause: Pause; agents: () => readonly Agent[] };

  constructor(ports: { pause: Pause; agents: () => readonly Agent[] }) {
    this.#ports = ports;
  }

  get watcherActive(): boolean {
    return false;
  }

  nextRun(_agentId: string): number | null {
    return null;
  }

  pausedReason(_agentId: string): string | null {
    return null;
  }

  async change(state: SchedulerState): Promise<void> {
    await this.#ports.pause.change(state);
  }
}
