// Pauses all triggers. The database stores the pause, so it survives a restart of the service.
import type { AuditEntry } from "../audit/audit_table.ts";
import type { EventBus } from "../events/bus.ts";
import type { SqlSettingsStore } from "./settings_store.ts";

const SETTING = "scheduler";

/** The state of the triggers: all run, or all are paused. */
export type SchedulerState = "running" | "paused";

/** Pauses and resumes all triggers of a service. Publishes a `scheduler_changed` event for each change. */
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

  /** Pauses or resumes all triggers. Does nothing if they already are in this state. */
  async change(state: SchedulerState, audit?: AuditEntry): Promise<void> {
    const changed = await this.#store.changeSetting(SETTING, state, { fallback: "running", audit });
    if (changed) this.#events.publish({ type: "scheduler_changed", status: state });
  }
}
