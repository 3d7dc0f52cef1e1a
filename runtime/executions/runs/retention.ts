// What is kept and for how long: the sweep at every start, and purges that a person asks for.
import type { ServiceLog } from "../../service_log/service_log.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { STOPS } from "../end_reason.ts";
import type { CheckpointStats, CheckpointStore } from "../record/checkpoint_store.ts";

/** Ends an execution that waits: its conversation is about to go. */
type AbortWaiting = (executionId: number, error: string) => Promise<void>;

/** The stock of conversations and logs. */
export class Retention {
  readonly #store: CheckpointStore;
  readonly #log: ServiceLog;

  constructor(options: { store: CheckpointStore; log: ServiceLog }) {
    this.#store = options.store;
    this.#log = options.log;
  }

  stats(): Promise<CheckpointStats> {
    return this.#store.readStats();
  }

  /** Removes what is older than its retention; null days keep for ever. */
  async sweep(
    options: { now: number; checkpointDays: number | null; logDays: number | null },
  ): Promise<void> {
    const { now, checkpointDays, logDays } = options;
    if (checkpointDays !== null) {
      const endedBefore = now - checkpointDays * DAY_MS;
      const purged = await this.#store.purge({ endedBefore, keepNewest: true });
      if (purged > 0) this.#log.write("info", "Old conversations removed", { purged });
    }
    if (logDays !== null) {
      const removed = await this.#store.removeExecutions(now - logDays * DAY_MS);
      if (removed > 0) this.#log.write("info", "Old executions removed", { removed });
    }
  }

  /**
   * Removes conversations, of one agent or of all. Without `force` the newest of each agent and those of waiting
   * executions stay; with it waiting executions are ended first. Running ones always stay. Returns how many went.
   */
  async purge(
    options: { agentId?: string; force: boolean; abortWaiting: AbortWaiting },
  ): Promise<number> {
    const { agentId, force, abortWaiting } = options;
    if (force) {
      for (const id of await this.#store.findWaiting(agentId)) {
        await abortWaiting(id, STOPS.conversation_purged);
      }
    }
    const purged = await this.#store.purge({
      keepNewest: !force,
      ...(agentId === undefined ? {} : { agentId }),
    });
    this.#log.write("info", "Conversations purged", { purged, force });
    return purged;
  }
}
