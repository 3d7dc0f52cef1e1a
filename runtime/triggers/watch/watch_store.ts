// The tables of watches: queued changes, and the last state of the watched files that each agent has seen.
import type { DigestedFile } from "../../folders/content_digests.ts";
import type { FileEvent } from "../../vocabulary/run_cause.ts";
import { type Database, type Durability, LeaseLost } from "../../database/database.ts";
import { all, get, type Operation, requireLease, run } from "../../database/operation.ts";

/** A change that waits for its run. There is one per agent and path. */
export interface QueuedChange {
  agentId: string;
  /** Absolute. */
  path: string;
  event: FileEvent;
  /** Milliseconds since the epoch. */
  queuedAt: number;
}

/** An open run for a change. */
export interface OpenRun {
  executionId: number;
  path: string;
  /** False while it waits for a person. */
  isRunning: boolean;
}

/** The last state of a file that its agent has seen. */
export interface SeenFile {
  path: string;
  /** Opaque; null: the file is gone, remove it. */
  stamp: string | null;
  /** The digest of its content, if known. */
  digest?: string;
}

/** Returns the name of the lease that decides which of several machines watches for an agent. */
export function watchLease(agentId: string): string {
  return `watch ${agentId}`;
}

/**
 * Removes a change from the queue and reports if it was there. Runs in the transaction that creates the execution, so that a
 * change starts exactly one run.
 */
export function* dequeueChange(agentId: string, path: string): Operation<boolean> {
  return (yield* run("DELETE FROM watch_queue WHERE agent_id = ? AND path = ?", agentId, path)) > 0;
}

/** The watches of one database. */
export class SqlWatchStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the agents with stored changes or files. */
  listAgents(): Promise<string[]> {
    return this.#db.read(function* () {
      const rows = yield* all<{ agent_id: string }>(
        "SELECT agent_id FROM watches UNION SELECT agent_id FROM watch_queue",
      );
      return rows.map(({ agent_id }) => agent_id);
    });
  }

  /** Returns the changes of an agent, the oldest first. */
  readQueue(agentId: string): Promise<QueuedChange[]> {
    return this.#db.read(function* () {
      const rows = yield* all<{ path: string; event: FileEvent; queued_at: number }>(
        "SELECT path, event, queued_at FROM watch_queue WHERE agent_id = ? ORDER BY queued_at, rowid",
        agentId,
      );
      return rows.map(({ path, event, queued_at }) => ({
        agentId,
        path,
        event,
        queuedAt: queued_at,
      }));
    });
  }

  /**
   * Queues changes; a queued path gets the new event. In the same transaction, removes changes that are obsolete, and stores the
   * state of seen files. Returns false, without storing anything, if another node watches for one of the agents now.
   */
  enqueue(
    changes: readonly QueuedChange[],
    { dropped, seen }: {
      dropped: readonly { agentId: string; path: string }[];
      seen: readonly (SeenFile & { agentId: string })[];
    },
  ): Promise<boolean> {
    return this.#changeWithLease("power", function* () {
      // Only the node with the lease may enqueue: otherwise a change that two nodes noticed would run twice.
      for (const id of new Set([...changes, ...seen].map(({ agentId }) => agentId))) {
        yield* requireLease(watchLease(id));
      }
      for (const { agentId, path } of dropped) yield* dequeueChange(agentId, path);
      for (const { agentId, path, event, queuedAt } of changes) {
        // The change keeps its position in the queue, so that a file that changes constantly does not wait forever.
        yield* run(
          "INSERT INTO watch_queue (agent_id, path, event, queued_at) VALUES (?, ?, ?, ?) " +
            "ON CONFLICT (agent_id, path) DO UPDATE SET event = excluded.event",
          agentId,
          path,
          event,
          queuedAt,
        );
      }
      for (const file of seen) yield* upsertSeenFile(file.agentId, file);
    });
  }

  /** Removes changes that will never run, because their agent is gone or watches other paths. */
  dropQueued(changes: readonly { agentId: string; path: string }[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const { agentId, path } of changes) yield* dequeueChange(agentId, path);
    });
  }

  /** Returns the runs of an agent's changes that have not ended. */
  readOpenRuns(agentId: string): Promise<OpenRun[]> {
    return this.#db.read(function* () {
      const open = "SELECT id, status, request ->> '$.cause.path' AS path FROM executions " +
        "WHERE agent_id = ? AND trigger = 'watch' AND (status = 'waiting' OR status = 'running'";
      const rows = yield* all<{ id: number; status: string; path: string }>(
        {
          // Executions of earlier instances do not continue.
          sqlite:
            `${open} AND instance_id = (SELECT id FROM instances ORDER BY rowid DESC LIMIT 1)) ORDER BY id`,
          postgres: `${open}) ORDER BY id`,
        },
        agentId,
      );
      return rows.map(({ id, status, path }) => (
        { executionId: id, path, isRunning: status === "running" }
      ));
    });
  }

  /** Returns the stamps of the seen files of an agent that catches up; undefined if nothing was ever stored for it. */
  readSeen(agentId: string): Promise<ReadonlyMap<string, string> | undefined> {
    return this.#db.read(function* () {
      const known = yield* get("SELECT 1 FROM watches WHERE agent_id = ?", agentId);
      if (known === undefined) return undefined;
      const rows = yield* all<{ path: string; stamp: string }>(
        "SELECT path, stamp FROM watched_files WHERE agent_id = ?",
        agentId,
      );
      return new Map(rows.map(({ path, stamp }) => [path, stamp]));
    });
  }

  /** Returns the known digests of the seen files. */
  readDigests(agentId: string): Promise<DigestedFile[]> {
    return this.#db.read(function* () {
      const rows = yield* all<DigestedFile>(
        "SELECT path, stamp, digest FROM watched_files WHERE agent_id = ? AND digest IS NOT NULL",
        agentId,
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  /** Stores digests of files with an unchanged stamp. */
  keepDigests(agentId: string, files: readonly DigestedFile[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const { path, stamp, digest } of files) {
        yield* run(
          "UPDATE watched_files SET digest = ? " +
            "WHERE agent_id = ? AND path = ? AND stamp = ? AND digest IS NULL",
          digest,
          agentId,
          path,
          stamp,
        );
      }
    });
  }

  /** Stores the state of files without queueing anything. Returns false as enqueue() does. */
  markSeen(agentId: string, files: readonly SeenFile[]): Promise<boolean> {
    return this.#changeWithLease("process", function* () {
      yield* requireLease(watchLease(agentId));
      yield* run("INSERT INTO watches (agent_id) VALUES (?) ON CONFLICT DO NOTHING", agentId);
      for (const file of files) yield* upsertSeenFile(agentId, file);
    });
  }

  /** Removes all data of agents that no longer watch. */
  forgetWatches(agentIds: readonly string[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const table of ["watch_queue", "watched_files", "watches"]) {
        for (const id of agentIds) yield* run(`DELETE FROM ${table} WHERE agent_id = ?`, id);
      }
    });
  }

  async #changeWithLease(
    durability: Durability,
    operation: () => Operation<void>,
  ): Promise<boolean> {
    try {
      await this.#db.change(durability, operation);
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) return false;
      throw error;
    }
  }
}

function* upsertSeenFile(agentId: string, { path, stamp, digest }: SeenFile): Operation<void> {
  if (stamp === null) {
    yield* run("DELETE FROM watched_files WHERE agent_id = ? AND path = ?", agentId, path);
  } else {
    yield* run(
      "INSERT INTO watched_files (agent_id, path, stamp, digest) VALUES (?1, ?2, ?3, ?4) " +
        "ON CONFLICT (agent_id, path) DO UPDATE SET stamp = ?3, digest = ?4",
      agentId,
      path,
      stamp,
      digest ?? null,
    );
  }
}
