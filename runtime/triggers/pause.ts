// Whether triggers may fire. The pause outlives the service: who paused it must not be surprised by a restart.
import type { EventBus } from "../events/bus.ts";
import type { SettingsStore } from "./settings_store.ts";

const SETTING = "scheduler";

/** The state of all triggers together. */
export type SchedulerState = "running" | "paused";

/** The pause of every trigger at once. Each real change is told as one `scheduler_changed`. */
export class Pause {
  readonly #store: SettingsStore;
  readonly #events: EventBus;

  constructor(ports: { store: SettingsStore; events: EventBus }) {
    this.#store = ports.store;
    this.#events = ports.events;
  }

  async state(): Promise<SchedulerState> {
    return await this.#store.readSetting(SETTING) === "paused" ? "paused" : "running";
  }

  /** Pauses or resumes; asking for what is already so changes nothing. */
  async change(state: SchedulerState): Promise<void> {
    const changed = await this.#store.changeSetting(SETTING, state, { fallback: "running" });
    if (changed) this.#events.publish({ type: "scheduler_changed", status: state });
  }
}
