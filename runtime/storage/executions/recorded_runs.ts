// Recorded runs in SQLite: all that is stored of one execution, read as one state.
import type {
  RecordedMessage,
  RecordedQuestion,
  RecordedRun,
  RecordedRunStore,
} from "../../executions/record/recorded_run.ts";
import type { Frame } from "../../events/frame.ts";
import type { HumanAnswer } from "../../executions/human_request.ts";
import type { StoredExecution } from "../../executions/record/execution_reads.ts";
import type { Message } from "../../models/message.ts";
import type { Database } from "../database.ts";
import { selectTerms } from "./call_terms.ts";
import { selectCalls } from "./conversation_rows.ts";
import { SqliteExecutionReads } from "./execution_reads.ts";
import { COLUMNS, type RequestRow, toRequest } from "./request_rows.ts";

/** Recorded runs of one database. */
export class SqliteRecordedRunStore implements RecordedRunStore {
  readonly #db: Database;
  readonly #executions: SqliteExecutionReads;

  constructor(db: Database) {
    this.#db = db;
    this.#executions = new SqliteExecutionReads(db);
  }

  async readRecordedRun(executionId: number): Promise<RecordedRun | undefined> {
    const stored = await this.#executions.readExecution(executionId);
    if (stored === undefined) return undefined;
    return {
      ...stored,
      messages: this.#messages(executionId),
      calls: selectCalls(this.#db, executionId, { unlogged: false }),
      questions: await this.#questions(stored),
      terms: selectTerms(this.#db, executionId),
      frames: this.#db.all<Frame>(
        "SELECT id, execution_id AS executionId, event, payload FROM frames WHERE execution_id = ? ORDER BY id",
        executionId,
      ).map((frame) => ({ ...frame })),
    };
  }

  #messages(executionId: number): RecordedMessage[] {
    return this.#db.all<{ position: number; body: string; seeded: number }>(
      "SELECT position, body, seeded FROM messages WHERE execution_id = ? ORDER BY position",
      executionId,
    ).map(({ position, body, seeded }) => ({
      position,
      message: JSON.parse(body) as Message,
      seeded: seeded === 1,
    }));
  }

  /**
   * Also those of executions below it, which its log shows while it waits for them; those of steps that it took over are its
   * own.
   */
  async #questions({ execution: { id }, request }: StoredExecution): Promise<RecordedQuestion[]> {
    const origins = new Set<number>();
    for (let from = request.fork?.executionId; from !== undefined;) {
      origins.add(from);
      from = (await this.#executions.readExecution(from))?.request.fork?.executionId;
    }
    return this.#db.all<RequestRow & { response: string | null }>(
      `SELECT ${COLUMNS}, response FROM requests WHERE execution_id = ?1 OR request_id IN (` +
        "SELECT payload ->> '$.request_id' FROM frames WHERE execution_id = ?1 AND event = 'interrupt') " +
        "ORDER BY created_at, rowid",
      id,
    ).map((row) => ({
      request: toRequest(origins.has(row.execution_id) ? { ...row, execution_id: id } : row),
      answer: row.response === null ? null : JSON.parse(row.response) as HumanAnswer,
    }));
  }
}
