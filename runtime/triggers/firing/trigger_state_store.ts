// The table of trigger states. It stores the triggers stopped by failing runs, so that they stay stopped after a restart of
// the service.
import { type AuditEntry, recordAudit } from "../../audit/audit_table.ts";
import type { TriggerStop } from "../../events/bus.ts";
import type { Database } from "../../database/database.ts";
import { all, run } from "../../database/operation.ts";

/** A trigger that was stopped because its runs failed, as stored. */
export interface StoppedTrigger extends Pick<TriggerStop, "print" | "retryAt"> {
  agentId: string;
  reason: string;
}

/** Reads and changes the trigger states of one database. */
export class SqlTriggerStateStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the triggers that failing runs have stopped. */
  readStopped(): Promise<StoppedTrigger[]> {
    return this.#db.read(function* () {
      const rows = yield* all<StoppedTrigger>(
        'SELECT agent_id AS "agentId", print, reason, retry_at AS "retryAt" FROM trigger_states ' +
          "WHERE reason IS NOT NULL ORDER BY agent_id",
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  /** Stores the time of a stopped trigger's next retry, in milliseconds since the epoch. */
  postponeTry(agentId: string, retryAt: number): Promise<void> {
    return this.#db.change("power", function* () {
      yield* run("UPDATE trigger_states SET retry_at = ? WHERE agent_id = ?", retryAt, agentId);
    });
  }

  /**
   * Resets the count of failures of an agent. With `dropsChanges`, also removes its queued file changes. Returns their
   * number.
   */
  release(
    agentId: string,
    { dropsChanges, audit }: { dropsChanges: boolean; audit?: AuditEntry | undefined },
  ): Promise<number> {
    return this.#db.change("power", function* () {
      yield* recordAudit(audit);
      yield* run("DELETE FROM trigger_states WHERE agent_id = ?", agentId);
      return dropsChanges ? yield* run("DELETE FROM watch_queue WHERE agent_id = ?", agentId) : 0;
    });
  }
}
