// Removes old conversations and logs: in daily sweeps of the service, and in purges that a person requests.
import type { AuditEntry } from "../../audit/audit_table.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Context } from "../../config/context.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { STOPS } from "../../vocabulary/end_reason.ts";
import type { CheckpointStats, CheckpointStore } from "../record/checkpoint_store.ts";

/** Ends a waiting execution whose conversation will be removed. */
type AbortWaiting = (executionId: number, error: string) => Promise<void>;

/** Measures and removes stored conversations and logs. */
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

  /** Removes conversations and executions older than their retention in days. Null keeps them forever. */
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
   * Removes the conversations of one agent or of all agents, and returns their number. Without `force`, keeps the newest
   * conversation of each agent and those of waiting executions. With `force`, ends waiting executions first. Never removes
   * the conversations of running executions.
   */
  async purge(
    options: {
      agentId?: string;
      force: boolean;
      abortWaiting: AbortWaiting;
      audit?: AuditEntry | undefined;
    },
  ): Promise<number> {
    const { agentId, force, abortWaiting, audit } = options;
    if (force) {
      for (const id of await this.#store.findWaiting(agentId)) {
        await abortWaiting(id, STOPS.conversation_purged);
      }
    }
    const purged = await this.#store.purge({
      keepNewest: !force,
      audit,
      ...(agentId === undefined ? {} : { agentId }),
    });
    this.#log.write("info", "Conversations purged", { purged, force });
    return purged;
  }
}

type SweepParts = Pick<Context, "clock" | "log"> & {
  retention: Pick<Retention, "sweep">;
  /** Returns the retention in days. Called at each sweep. Null keeps the data forever. */
  days: () => { checkpointDays: number | null; logDays: number | null };
};

/** Removes old conversations and logs: at the start of the service, and once a day while it runs. */
export class RetentionSweeps implements AsyncDisposable {
  readonly #ports: SweepParts;
  readonly #over = new AbortController();
  #daily: Promise<void> = Promise.resolve();

  constructor(ports: SweepParts) {
    this.#ports = ports;
  }

  /**
   * Sweeps at once and then once a day, until this object is disposed. Rejects if the first sweep fails. Later failures are
   * logged.
   */
  async start(): Promise<void> {
    await this.#sweep();
    this.#daily = this.#sweepDaily();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#daily;
  }

  async #sweepDaily(): Promise<void> {
    const { clock, log } = this.#ports;
    while (await sleepUnlessAborted(clock, DAY_MS, this.#over.signal)) {
      try {
        await this.#sweep();
      } catch (error) {
        log.write(
          "error",
          "Old conversations and logs could not be removed; tried again in a day",
          {
            error,
          },
        );
      }
    }
  }

  async #sweep(): Promise<void> {
    const { retention, clock, days } = this.#ports;
    await retention.sweep({ now: clock.now(), ...days() });
  }
}
