// The table of frames: appending them inside a change, reading them for followers.
import type { Frame, FrameDraft } from "../events/frame.ts";
import type { FrameStore, LogState } from "../events/frame_store.ts";
import { type ExecutionStatus, isFinal } from "../executions/states.ts";
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
    // The sizes first: a text that does not belong to the page is not read.
    const rows = this.#db.all<{ id: number; bytes: number }>(
      "SELECT id, octet_length(payload) AS bytes FROM frames WHERE execution_id = ? AND id > ? ORDER BY id LIMIT ?",
      executionId,
      page.after,
      page.limit,
    );
    let last = page.after;
    let bytes = 0;
    for (const row of rows) {
      bytes += row.bytes;
      if (bytes > page.maxBytes && last !== page.after) break;
      last = row.id;
    }
    const frames = this.#db.all<Omit<Frame, "executionId">>(
      "SELECT id, event, payload FROM frames WHERE execution_id = ? AND id > ? AND id <= ? ORDER BY id",
      executionId,
      page.after,
      last,
    );
    return Promise.resolve(frames.map((frame) => ({ executionId, ...frame })));
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
