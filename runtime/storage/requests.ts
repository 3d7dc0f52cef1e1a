// The table of questions to people: opening one, answering it once, finding what is open.
import type { HumanAnswer, HumanRequest } from "../executions/human_request.ts";
import type { Database } from "./database.ts";

interface RequestRow {
  request_id: string;
  execution_id: number;
  position: number;
  kind: HumanRequest["kind"];
  body: string;
  created_at: number;
  expires_at: number | null;
}

/** The columns that are not in RequestRow by themselves. */
type RequestBody = Pick<
  HumanRequest,
  "message" | "options" | "multi" | "toolName" | "toolArgs"
>;

const COLUMNS = "request_id, execution_id, position, kind, body, created_at, expires_at";

/** Stores a question as part of the transaction that is open. */
export function insertRequest(db: Database, request: HumanRequest): void {
  const { message, options, multi, toolName, toolArgs } = request;
  const body: RequestBody = { message, options, multi, toolName, toolArgs };
  db.run(
    `INSERT INTO requests (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    request.requestId,
    request.executionId,
    request.position,
    request.kind,
    JSON.stringify(body),
    request.createdAt,
    request.expiresAt,
  );
}

/** Stores the answer to an open question; false when it is not open. */
export function closeRequest(
  db: Database,
  executionId: number,
  answer: { requestId: string; answer: HumanAnswer; answeredAt: number },
): boolean {
  return db.run(
    "UPDATE requests SET answered_at = ?, response = ? " +
      "WHERE execution_id = ? AND request_id = ? AND answered_at IS NULL",
    answer.answeredAt,
    JSON.stringify(answer.answer),
    executionId,
    answer.requestId,
  ).changes === 1;
}

/** Closes whatever question is open, unanswered: its execution has ended. */
export function voidRequests(db: Database, executionId: number, at: number): void {
  db.run(
    "UPDATE requests SET answered_at = ? WHERE execution_id = ? AND answered_at IS NULL",
    at,
    executionId,
  );
}

export function selectOpenRequest(db: Database, executionId: number): HumanRequest | undefined {
  const row = db.get<RequestRow>(
    `SELECT ${COLUMNS} FROM requests WHERE execution_id = ? AND answered_at IS NULL`,
    executionId,
  );
  return row && toRequest(row);
}

export function selectNextExpiry(db: Database): HumanRequest | undefined {
  const row = db.get<RequestRow>(
    `SELECT ${COLUMNS} FROM requests WHERE answered_at IS NULL AND expires_at IS NOT NULL ` +
      "ORDER BY expires_at LIMIT 1",
  );
  return row && toRequest(row);
}

/** Answers of an execution by the position of the call they are for. */
export function selectAnswers(db: Database, executionId: number): Map<number, HumanAnswer> {
  const rows = db.all<{ position: number; response: string }>(
    "SELECT position, response FROM requests WHERE execution_id = ? AND response IS NOT NULL",
    executionId,
  );
  return new Map(rows.map((row) => [row.position, JSON.parse(row.response) as HumanAnswer]));
}

function toRequest(row: RequestRow): HumanRequest {
  const body = JSON.parse(row.body) as RequestBody;
  return {
    ...body,
    requestId: row.request_id,
    executionId: row.execution_id,
    position: row.position,
    kind: row.kind,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
