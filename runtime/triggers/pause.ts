// The pause of all triggers. It is stored, so that a restart of the service does not end it.
import type { EventBus } from "../events/bus.ts";
import type { SqlSettingsStore } from "./settings_store.ts";

const SETTING = "scheduler";

/** The state of all triggers together. */
export type SchedulerState = "running" | "paused";

/** Pauses and resumes all triggers at once. Publishes one `scheduler_changed` for each change. */
export class Pause {
  readonly #store: SqlSettingsStore;
  readonly #events: EventBus;

  constructor(ports: { store: SqlSettingsStore; events: EventBus }) {
    this.#store = ports.store;
    this.#events = ports.events;
  }

  async state(): Promise<SchedulerState> {
    return await this.#store.readSetting(SETTING) === "paused" ? "paused" : "running";
  }

  /** Pauses or resumes the triggers. Does nothing when they are in this state already. */
  async change(state: SchedulerState): Promise<void> {
    const changed = await this.#store.changeSetting(SETTING, state, { fallback: "running" });
    if (changed) this.#events.publish({ type: "scheduler_changed", status: state });
  }
}
