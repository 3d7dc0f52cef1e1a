// The table of trigger states: the triggers that failures have stopped. They stay stopped after a restart of the service.
import type { TriggerStop } from "../../events/bus.ts";
import type { Database } from "../../database/database.ts";
import { all, run } from "../../database/operation.ts";

/** A stopped trigger. */
export interface StoppedTrigger extends Pick<TriggerStop, "print" | "retryAt"> {
  agentId: string;
  reason: string;
}

/** The trigger states of one database. */
export class SqlTriggerStateStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the triggers stopped for failures. */
  readStopped(): Promise<StoppedTrigger[]> {
    return this.#db.read(function* () {
      const rows = yield* all<StoppedTrigger>(
        'SELECT agent_id AS "agentId", print, reason, retry_at AS "retryAt" FROM trigger_states ' +
          "WHERE reason IS NOT NULL ORDER BY agent_id",
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  /** Stores the time of the next try of a stopped trigger. */
  postponeTry(agentId: string, retryAt: number): Promise<void> {
    return this.#db.change("power", function* () {
      yield* run("UPDATE trigger_states SET retry_at = ? WHERE agent_id = ?", retryAt, agentId);
    });
  }

  /** Resets the count of failures. With `dropsChanges` removes the agent's queued file changes; returns their number. */
  release(agentId: string, { dropsChanges }: { dropsChanges: boolean }): Promise<number> {
    return this.#db.change("power", function* () {
      yield* run("DELETE FROM trigger_states WHERE agent_id = ?", agentId);
      return dropsChanges ? yield* run("DELETE FROM watch_queue WHERE agent_id = ?", agentId) : 0;
    });
  }
}
