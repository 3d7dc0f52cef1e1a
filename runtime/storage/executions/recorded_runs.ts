// Reads recorded runs: the complete stored state of one execution.
import type { RecordedMessage } from "../../executions/record/conversation.ts";
import type { RecordedQuestion, RecordedRun } from "../../executions/record/recorded_run.ts";
import type { Frame } from "../../events/frame.ts";
import type { HumanAnswer } from "../../executions/human_request.ts";
import type { StoredExecution } from "../../executions/record/execution_reads.ts";
import type { Message } from "../../models/message.ts";
import type { Database } from "../../database/database.ts";
import { selectTerms } from "./call_terms.ts";
import { selectCalls } from "./conversation_rows.ts";
import { selectStored } from "./execution_reads.ts";
import { REQUEST_COLUMNS, type RequestRow, toRequest } from "./request_rows.ts";
import { all, type Operation } from "../../database/operation.ts";

/** Reads the recorded runs of one database. */
export class SqlRecordedRunStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the record of a run, or undefined for an unknown execution. */
  readRecordedRun(executionId: number): Promise<RecordedRun | undefined> {
    return this.#db.read(function* () {
      const stored = yield* selectStored(executionId);
      if (stored === undefined) return undefined;
      return {
        ...stored,
        messages: yield* selectRecordedMessages(executionId),
        calls: yield* selectCalls(executionId, { unlogged: false }),
        questions: yield* selectQuestions(stored),
        terms: yield* selectTerms(executionId),
        // The frames are read last. If the execution continues meanwhile, the log then covers the whole conversation.
        frames: yield* selectRecordedFrames(executionId),
      };
    });
  }
}

function* selectRecordedFrames(executionId: number): Operation<Frame[]> {
  const rows = yield* all<Frame>(
    "SELECT id, execution_id AS executionId, event, payload FROM frames WHERE execution_id = ? ORDER BY id",
    executionId,
  );
  return rows.map((frame) => ({ ...frame }));
}

function* selectRecordedMessages(executionId: number): Operation<RecordedMessage[]> {
  const rows = yield* all<{ position: number; body: string; seeded: number }>(
    "SELECT position, body, seeded FROM messages WHERE execution_id = ? ORDER BY position",
    executionId,
  );
  return rows.map(({ position, body, seeded }) => ({
    position,
    message: JSON.parse(body) as Message,
    seeded: seeded === 1,
  }));
}

/**
 * Returns the questions of an execution, and those questions of its descendants that its log contains. Includes questions
 * of steps that a fork copied.
 */
function* selectQuestions(
  { execution: { id }, request }: StoredExecution,
): Operation<RecordedQuestion[]> {
  const origins = new Set<number>();
  for (let from = request.fork?.executionId; from !== undefined;) {
    origins.add(from);
    from = (yield* selectStored(from))?.request.fork?.executionId;
  }
  const rows = yield* all<RequestRow & { response: string | null }>(
    `SELECT ${REQUEST_COLUMNS}, response FROM requests WHERE execution_id = ?1 OR request_id IN (` +
      "SELECT payload ->> '$.request_id' FROM frames WHERE execution_id = ?1 AND event = 'interrupt') " +
      "ORDER BY created_at, rowid",
    id,
  );
  return rows.map(({ response, ...row }) => ({
    request: toRequest(origins.has(row.executionId) ? { ...row, executionId: id } : row),
    answer: response === null ? null : JSON.parse(response) as HumanAnswer,
  }));
}
