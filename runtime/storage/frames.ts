// The table of frames. Appends frames in a transaction, and reads them for followers of a log.
import type { Frame, FrameDraft } from "../events/frame.ts";
import type {
  FramePage,
  FrameStore,
  LogHead,
  LogState,
  StoredFrames,
} from "../events/frame_store.ts";
import { type ExecutionStatus, isFinal } from "../executions/states.ts";
import type { Database } from "../database/database.ts";
import {
  all,
  announce,
  get,
  insertRows,
  type Operation,
  type StoredListener,
} from "../database/operation.ts";

/**
 * Appends frames to an execution's log in the open transaction, and announces them with the execution's new status. newestFrameId() is then
 * the id of the last one.
 */
export function* appendFrames(
  executionId: number,
  drafts: readonly FrameDraft[],
  status: ExecutionStatus = "running",
): Operation<void> {
  if (drafts.length === 0) return;
  const ids: number[] = [];
  const frames = drafts.map((draft): Frame => ({ id: 0, executionId, ...draft }));
  yield* insertRows(
    "INSERT INTO frames (execution_id, event, payload)",
    drafts.map(({ event, payload }) => [executionId, event, payload]),
    {
      tail: " RETURNING id",
      receive(rows) {
        ids.push(...(rows as { id: number }[]).map(({ id }) => id));
        // The database assigns ids in the order of the drafts, but may return them unordered.
        for (const [index, id] of ids.sort((a, b) => a - b).entries()) {
          const frame = frames[index];
          if (frame !== undefined) frame.id = id;
        }
      },
    },
  );
  yield* announce(executionId, { frames, state: toLogState(status) });
}

/** Returns SQL for the id of the newest frame of an execution. `executionId` is an SQL expression. */
export function newestFrameId(executionId: string): string {
  return `(SELECT max(id) FROM frames WHERE execution_id = ${executionId})`;
}

/** Returns true if the question is the last one in the execution's log. */
export function* showsRequest(executionId: number, requestId: string): Operation<boolean> {
  const last = yield* get<{ requestId: string | null }>(
    "SELECT payload ->> '$.request_id' AS requestId FROM frames " +
      "WHERE execution_id = ? AND event = 'interrupt' ORDER BY id DESC LIMIT 1",
    executionId,
  );
  return last?.requestId === requestId;
}

/** Reads the frames of one database. */
export class SqlFrameStore implements FrameStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readFrames(
    executionId: number,
    page: { after: number; limit: number; maxBytes: number },
  ): Promise<FramePage> {
    return this.#db.read(function* () {
      // Reads the sizes first, so that texts beyond the page limit are not loaded.
      const rows = yield* all<{ id: number; bytes: number }>(
        "SELECT id, octet_length(payload) AS bytes FROM frames WHERE execution_id = ? AND id > ? ORDER BY id LIMIT ?",
        executionId,
        page.after,
        page.limit < 0 ? Number.MAX_SAFE_INTEGER : page.limit,
      );
      let last = page.after;
      let bytes = 0;
      for (const row of rows) {
        bytes += row.bytes;
        if (bytes > page.maxBytes && last !== page.after) break;
        last = row.id;
      }
      const frames = yield* all<Omit<Frame, "executionId">>(
        "SELECT id, event, payload FROM frames WHERE execution_id = ? AND id > ? AND id <= ? ORDER BY id",
        executionId,
        page.after,
        last,
      );
      const isEnd = rows.length !== page.limit && last === (rows.at(-1)?.id ?? page.after);
      return { frames: frames.map((frame) => ({ executionId, ...frame })), isEnd };
    });
  }

  readHead(executionId: number, cursor: number): Promise<LogHead | undefined> {
    return this.#db.read(function* () {
      // One statement, so that the state and the ids are of the same moment.
      const row = yield* get<Omit<LogHead, "state"> & { status: ExecutionStatus }>(
        "SELECT id AS executionId, agent_id AS agentId, display_name AS displayName, status, " +
          "(SELECT event FROM frames WHERE execution_id = ?1 AND id = ?2) AS event, " +
          `coalesce(${newestFrameId("?1")}, 0) AS lastId, ` +
          "coalesce((SELECT max(id) FROM frames), 0) AS newestId FROM executions WHERE id = ?1",
        executionId,
        cursor,
      );
      if (row === undefined) return undefined;
      const { status, ...head } = row;
      return { ...head, state: toLogState(status) };
    });
  }

  readLogState(executionId: number): Promise<LogState | undefined> {
    return this.#db.read(function* () {
      const row = yield* get<{ status: ExecutionStatus }>(
        "SELECT status FROM executions WHERE id = ?",
        executionId,
      );
      return row && toLogState(row.status);
    });
  }

  onStored(listener: (executionId: number, stored: StoredFrames) => void): void {
    // All announced changes consist of frames and a state of a log.
    this.#db.stored.add(listener as StoredListener);
  }
}

function toLogState(status: ExecutionStatus): LogState {
  if (isFinal(status)) return "ended";
  return status === "waiting" ? "waiting" : "open";
}
