// The table of frames: appending them inside a change, reading them for followers.
import type { Frame, FrameDraft } from "../events/frame.ts";
import type { FrameStore, LogState } from "../events/frame_store.ts";
import { type ExecutionStatus, isFinal } from "../executions/execution.ts";
import type { Database } from "./database.ts";

/** Stores frames as part of the transaction that is open; returns the id of the last one. */
export function appendFrames(
  db: Database,
  executionId: number,
  drafts: readonly FrameDraft[],
): number {
  let lastId = 0;
  for (const draft of drafts) {
    lastId = db.run(
      "INSERT INTO frames (execution_id, event, payload) VALUES (?, ?, ?)",
      executionId,
      draft.event,
      draft.payload,
    ).lastId;
  }
  return lastId;
}

/** Whether the last question in an execution's log is this one. */
export function showsRequest(db: Database, executionId: number, requestId: string): boolean {
  const last = db.get<{ requestId: string | null }>(
    "SELECT payload ->> '$.request_id' AS requestId FROM frames " +
      "WHERE execution_id = ? AND event = 'interrupt' ORDER BY id DESC LIMIT 1",
    executionId,
  );
  return last?.requestId === requestId;
}

/** To step through rows one by one takes three times as long; all at once could be more than may be held. */
const ROWS_AT_ONCE = 16;

/** Frames out of SQLite. */
export class SqliteFrameStore implements FrameStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readFrames(
    executionId: number,
    page: { after: number; limit: number; maxBytes: number },
  ): Promise<Frame[]> {
    const frames: Frame[] = [];
    const limit = page.limit < 0 ? Infinity : page.limit;
    for (let { after } = page, bytes = 0; frames.length < limit && bytes <= page.maxBytes;) {
      const wanted = Math.min(ROWS_AT_ONCE, limit - frames.length);
      const rows = this.#db.all<Omit<Frame, "executionId">>(
        "SELECT id, event, payload FROM frames WHERE execution_id = ? AND id > ? ORDER BY id LIMIT ?",
        executionId,
        after,
        wanted,
      );
      for (const { id, event, payload } of rows) {
        if (bytes > page.maxBytes) break;
        frames.push({ id, executionId, event, payload });
        bytes += payload.length;
        after = id;
      }
      if (rows.length < wanted) break;
    }
    return Promise.resolve(frames);
  }

  readNewestId(executionId?: number): Promise<number> {
    const newest = executionId === undefined
      ? this.#db.get<{ id: number | null }>("SELECT max(id) AS id FROM frames")
      : this.#db.get<{ id: number | null }>(
        "SELECT max(id) AS id FROM frames WHERE execution_id = ?",
        executionId,
      );
    return Promise.resolve(newest?.id ?? 0);
  }

  readLogState(executionId: number): Promise<LogState | undefined> {
    const row = this.#db.get<{ status: ExecutionStatus }>(
      "SELECT status FROM executions WHERE id = ?",
      executionId,
    );
    if (row === undefined) return Promise.resolve(undefined);
    if (isFinal(row.status)) return Promise.resolve("ended");
    return Promise.resolve(row.status === "waiting" ? "waiting" : "open");
  }
}
