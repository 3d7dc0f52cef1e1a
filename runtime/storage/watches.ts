// The tables of watches: changes that wait for their run, and how files looked when they were last reported to their agent.
import type { FileEvent } from "../run_cause.ts";
import type { OpenRun, QueuedChange, SeenFile, WatchStore } from "../triggers/watch/watch_store.ts";
import type { Database } from "./database.ts";

/**
 * Takes a change out of the queue; whether it was in it. Belongs into the transaction that creates its execution, so that
 * a change runs at most once and is never lost.
 */
export function takeQueued(db: Database, agentId: string, path: string): boolean {
  return db.run("DELETE FROM watch_queue WHERE agent_id = ? AND path = ?", agentId, path)
    .changes > 0;
}

/** Watches in SQLite. */
export class SqliteWatchStore implements WatchStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  listAgents(): Promise<string[]> {
    const rows = this.#db.all<{ agent_id: string }>(
      "SELECT agent_id FROM watches UNION SELECT agent_id FROM watch_queue",
    );
    return Promise.resolve(rows.map(({ agent_id }) => agent_id));
  }

  readQueue(agentId: string): Promise<QueuedChange[]> {
    const rows = this.#db.all<{ path: string; event: FileEvent; queued_at: number }>(
      "SELECT path, event, queued_at FROM watch_queue WHERE agent_id = ? ORDER BY queued_at, rowid",
      agentId,
    );
    return Promise.resolve(
      rows.map(({ path, event, queued_at }) => ({ agentId, path, event, queuedAt: queued_at })),
    );
  }

  enqueue(
    changes: readonly QueuedChange[],
    { dropped, seen }: Parameters<WatchStore["enqueue"]>[1],
  ): Promise<void> {
    return this.#db.change("power", () => {
      for (const { agentId, path } of dropped) takeQueued(this.#db, agentId, path);
      for (const { agentId, path, event, queuedAt } of changes) {
        // Its place in the queue stays: a file that changes all the time must not wait for ever.
        this.#db.run(
          "INSERT INTO watch_queue (agent_id, path, event, queued_at) VALUES (?, ?, ?, ?) " +
            "ON CONFLICT (agent_id, path) DO UPDATE SET event = excluded.event",
          agentId,
          path,
          event,
          queuedAt,
        );
      }
      for (const file of seen) this.#mark(file.agentId, file);
    });
  }

  dropQueued(changes: readonly { agentId: string; path: string }[]): Promise<void> {
    return this.#db.change("process", () => {
      for (const { agentId, path } of changes) takeQueued(this.#db, agentId, path);
    });
  }

  readOpenRuns(agentId: string): Promise<OpenRun[]> {
    const rows = this.#db.all<{ id: number; status: string; path: string }>(
      "SELECT id, status, json_extract(request, '$.cause.path') AS path FROM executions " +
        "WHERE agent_id = ? AND trigger = 'watch' AND (status = 'waiting' OR status = 'running' AND " +
        // What an earlier instance left does not continue.
        "instance_id = (SELECT id FROM instances ORDER BY rowid DESC LIMIT 1))",
      agentId,
    );
    return Promise.resolve(rows.map(({ id, status, path }) => (
      { executionId: id, path, isRunning: status === "running" }
    )));
  }

  readSeen(agentId: string): Promise<ReadonlyMap<string, string> | undefined> {
    const known = this.#db.get("SELECT 1 FROM watches WHERE agent_id = ?", agentId);
    if (known === undefined) return Promise.resolve(undefined);
    const rows = this.#db.all<{ path: string; stamp: string }>(
      "SELECT path, stamp FROM watched_files WHERE agent_id = ?",
      agentId,
    );
    return Promise.resolve(new Map(rows.map(({ path, stamp }) => [path, stamp])));
  }

  markSeen(agentId: string, files: readonly SeenFile[]): Promise<void> {
    return this.#db.change("process", () => {
      this.#db.run("INSERT OR IGNORE INTO watches (agent_id) VALUES (?)", agentId);
      for (const file of files) this.#mark(agentId, file);
    });
  }

  forgetWatches(agentIds: readonly string[]): Promise<void> {
    return this.#db.change("process", () => {
      for (const table of ["watch_queue", "watched_files", "watches"]) {
        for (const id of agentIds) this.#db.run(`DELETE FROM ${table} WHERE agent_id = ?`, id);
      }
    });
  }

  #mark(agentId: string, { path, stamp }: SeenFile): void {
    if (stamp === null) {
      this.#db.run("DELETE FROM watched_files WHERE agent_id = ? AND path = ?", agentId, path);
    } else {
      this.#db.run(
        "INSERT OR REPLACE INTO watched_files (agent_id, path, stamp) VALUES (?, ?, ?)",
        agentId,
        path,
        stamp,
      );
    }
  }
}
