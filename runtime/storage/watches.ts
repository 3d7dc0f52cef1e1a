// Changes of watched files that wait for their run, in SQLite.
import type { Database } from "./database.ts";

/** Takes a change out of the queue as part of the transaction that is open; false when it is not in it. */
export function takeQueued(db: Database, agentId: string, path: string): boolean {
  return db.run("DELETE FROM watch_queue WHERE agent_id = ? AND path = ?", agentId, path).changes >
    0;
}
