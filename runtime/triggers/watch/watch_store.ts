// The tables of watches. They contain the queued file changes and, for each agent, the last snapshot of its watched files.
import type { DigestedFile } from "../../folders/content_digests.ts";
import type { FileEvent } from "../../vocabulary/run_cause.ts";
import { type Database, type Durability, LeaseLost } from "../../database/database.ts";
import { all, get, type Operation, requireLease, run, send } from "../../database/operation.ts";

/** A file change that waits for a run. Each agent has at most one per path. */
export interface QueuedChange {
  /** The absolute path of the changed file. */
  path: string;
  event: FileEvent;
  /** The time at which the change was queued, in milliseconds since the epoch. */
  queuedAt: number;
}

/** A run that a file change has started and that has not ended. */
export interface OpenRun {
  executionId: number;
  path: string;
  /** False while the run rests or waits for a person. */
  isRunning: boolean;
}

/** The state of a watched file in an agent's snapshot. */
export interface SeenFile {
  path: string;
  /** An opaque value that changes with the file; null removes the file from the snapshot. */
  stamp: string | null;
  /** The digest of the file's content, if known. */
  digest?: string;
}

/**
 * Returns the name of an agent's watch lease. Of the machines that share the database, the holder watches the agent's
 * files.
 */
export function watchLease(agentId: string): string {
  return `watch ${agentId}`;
}

/**
 * Removes a change from the queue. Returns false if it was not there. Runs in the transaction that creates the execution,
 * so that a change starts exactly one run.
 */
export function* dequeueChange(agentId: string, path: string): Operation<boolean> {
  return (yield* run("DELETE FROM watch_queue WHERE agent_id = ? AND path = ?", agentId, path)) > 0;
}

/** Reads and changes the queues and snapshots of one database. */
export class SqlWatchStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the ids of the agents with queued changes or a snapshot. */
  listAgents(): Promise<string[]> {
    return this.#db.read(function* () {
      const rows = yield* all<{ agent_id: string }>(
        "SELECT agent_id FROM watches UNION SELECT agent_id FROM watch_queue",
      );
      return rows.map(({ agent_id }) => agent_id);
    });
  }

  /** Returns the queued changes of an agent, oldest first. */
  readQueue(agentId: string): Promise<QueuedChange[]> {
    return this.#db.read(function* () {
      const rows = yield* all<{ path: string; event: FileEvent; queued_at: number }>(
        "SELECT path, event, queued_at FROM watch_queue WHERE agent_id = ? ORDER BY queued_at, rowid",
        agentId,
      );
      return rows.map(({ queued_at: queuedAt, ...change }) => ({ ...change, queuedAt }));
    });
  }

  /**
   * In one transaction, queues changes of an agent's files, removes the changes of the paths `dropped`, and stores the file
   * states `seen`. A path that is already queued gets the new event. Returns false, without storing anything, if another
   * node has the agent's watch lease.
   */
  enqueue(
    agentId: string,
    changes: readonly QueuedChange[],
    { dropped, seen }: { dropped: readonly string[]; seen: readonly SeenFile[] },
  ): Promise<boolean> {
    return this.#changeWithLease("power", function* () {
      // Only the node with the lease may queue changes. Otherwise a change that two nodes have noticed would start two
      // runs.
      if (changes.length + seen.length > 0) yield* requireLease(watchLease(agentId));
      for (const path of dropped) yield* dequeueChange(agentId, path);
      for (const { path, event, queuedAt } of changes) {
        // The change keeps its position in the queue, so that a file that changes constantly does not wait forever.
        yield* send(
          "INSERT INTO watch_queue (agent_id, path, event, queued_at) VALUES (?, ?, ?, ?) " +
            "ON CONFLICT (agent_id, path) DO UPDATE SET event = excluded.event",
          agentId,
          path,
          event,
          queuedAt,
        );
      }
      for (const file of seen) yield* upsertSeenFile(agentId, file);
    });
  }

  /** Removes queued changes that can no longer run, because the agent was removed or watches other paths. */
  dropQueued(agentId: string, paths: readonly string[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const path of paths) yield* dequeueChange(agentId, path);
    });
  }

  /** Returns the runs of an agent's file changes that have not ended. */
  readOpenRuns(agentId: string): Promise<OpenRun[]> {
    return this.#db.read(function* () {
      const open = "SELECT id, status, rests_until, request ->> '$.cause.path' AS path " +
        "FROM executions WHERE agent_id = ? AND trigger = 'watch' AND (status = 'waiting' " +
        "OR rests_until IS NOT NULL OR status = 'running'";
      const rows = yield* all<
        { id: number; status: string; rests_until: number | null; path: string }
      >(
        {
          // With SQLite, only executions of the last started service instance can run. Those of earlier instances do not
          // continue unless they rest or wait.
          sqlite:
            `${open} AND instance_id = (SELECT id FROM instances ORDER BY rowid DESC LIMIT 1)) ORDER BY id`,
          postgres: `${open}) ORDER BY id`,
        },
        agentId,
      );
      return rows.map(({ id, status, rests_until, path }) => (
        { executionId: id, path, isRunning: status === "running" && rests_until === null }
      ));
    });
  }

  /** Returns the stamps of an agent's snapshot by path; undefined if the agent has no snapshot. */
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

  /** Returns the files of an agent's snapshot with a known digest. */
  readDigests(agentId: string): Promise<DigestedFile[]> {
    return this.#db.read(function* () {
      const rows = yield* all<DigestedFile>(
        "SELECT path, stamp, digest FROM watched_files WHERE agent_id = ? AND digest IS NOT NULL",
        agentId,
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  /** Adds digests to files in the snapshot. Ignores files whose stamp has changed or that already have a digest. */
  keepDigests(agentId: string, files: readonly DigestedFile[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const { path, stamp, digest } of files) {
        yield* send(
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

  /**
   * Stores file states in the snapshot without queueing changes. Returns false, without storing anything, if another node
   * has the agent's watch lease.
   */
  markSeen(agentId: string, files: readonly SeenFile[]): Promise<boolean> {
    return this.#changeWithLease("process", function* () {
      yield* requireLease(watchLease(agentId));
      yield* send("INSERT INTO watches (agent_id) VALUES (?) ON CONFLICT DO NOTHING", agentId);
      for (const file of files) yield* upsertSeenFile(agentId, file);
    });
  }

  /** Removes the queues and snapshots of agents that no longer watch files. */
  forgetWatches(agentIds: readonly string[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const table of ["watch_queue", "watched_files", "watches"]) {
        for (const id of agentIds) yield* send(`DELETE FROM ${table} WHERE agent_id = ?`, id);
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
    yield* send("DELETE FROM watched_files WHERE agent_id = ? AND path = ?", agentId, path);
  } else {
    yield* send(
      "INSERT INTO watched_files (agent_id, path, stamp, digest) VALUES (?1, ?2, ?3, ?4) " +
        "ON CONFLICT (agent_id, path) DO UPDATE SET stamp = ?3, digest = ?4",
      agentId,
      path,
      stamp,
      digest ?? null,
    );
  }
}
