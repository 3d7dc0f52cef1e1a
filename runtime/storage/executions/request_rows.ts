// The table of questions to people. Stores questions and answers, and finds open questions.
import type { GivenAnswer, HumanAnswer, HumanRequest } from "../../executions/human_request.ts";
import { SIGN_IN } from "../../vocabulary/tool_vocabulary.ts";
import { all, get, type Operation, run, send } from "../../database/operation.ts";

/** The fields of a question that are columns of `requests`. The column `body` has the others as JSON. */
type Columns = Pick<
  HumanRequest,
  "requestId" | "executionId" | "position" | "kind" | "createdAt" | "expiresAt"
>;

/** A row of `requests`, as selected by REQUEST_COLUMNS. */
export type RequestRow = Columns & { body: string };

/** SQL: the columns of RequestRow. */
export const REQUEST_COLUMNS = "request_id AS requestId, execution_id AS executionId, position, " +
  "kind, body, created_at AS createdAt, expires_at AS expiresAt";

/** Stores a question in the open transaction. */
export function* insertRequest(request: HumanRequest): Operation<void> {
  yield* send(
    "INSERT INTO requests (request_id, execution_id, position, kind, body, created_at, expires_at) " +
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
    request.requestId,
    request.executionId,
    request.position,
    request.kind,
    toBody(request),
    request.createdAt,
    request.expiresAt,
  );
}

function toBody(request: HumanRequest): string {
  const { requestId: _, executionId: _id, position: _at, kind: _kind, ...rest } = request;
  const { createdAt: _from, expiresAt: _until, ...body } = rest;
  return JSON.stringify(body satisfies Omit<HumanRequest, keyof Columns>);
}

/** Stores the approvals of an open question. */
export function* updateApprovals(request: HumanRequest): Operation<void> {
  yield* send(
    "UPDATE requests SET body = ? WHERE request_id = ?",
    toBody(request),
    request.requestId,
  );
}

/** Stores the answer to an open question. Returns false if the question is not open. */
export function* closeRequest(
  executionId: number,
  answer: { requestId: string; answer: HumanAnswer; answeredAt: number },
): Operation<boolean> {
  return (yield* run(
    "UPDATE requests SET answered_at = ?, response = ? " +
      "WHERE execution_id = ? AND request_id = ? AND answered_at IS NULL",
    answer.answeredAt,
    JSON.stringify(answer.answer),
    executionId,
    answer.requestId,
  )) === 1;
}

/** Closes the open questions of an ended execution without an answer. */
export function* voidRequests(executionId: number, at: number): Operation<void> {
  yield* send(
    "UPDATE requests SET answered_at = ? WHERE execution_id = ? AND answered_at IS NULL",
    at,
    executionId,
  );
}

/**
 * Returns the question that an execution waits for: its own, otherwise the oldest of its waiting descendants. Undefined if
 * there is none.
 */
export function* selectOpenRequest(
  executionId: number,
  requestId?: string,
): Operation<HumanRequest | undefined> {
  const row = yield* get<RequestRow>(
    "WITH RECURSIVE below (id, depth) AS (SELECT CAST(?1 AS BIGINT), 0 UNION ALL SELECT e.id, below.depth + 1 " +
      "FROM executions e JOIN below ON e.parent_execution_id = below.id WHERE e.status = 'waiting') " +
      `SELECT ${REQUEST_COLUMNS} FROM requests JOIN below ON below.id = requests.execution_id ` +
      "WHERE answered_at IS NULL AND (CAST(?2 AS TEXT) IS NULL OR request_id = ?2) " +
      "ORDER BY below.depth > 0, created_at, requests.rowid LIMIT 1",
    executionId,
    requestId ?? null,
  );
  return row && toRequest(row);
}

/** Returns the open question that expires first, ignoring the given ids; undefined if none expires. */
export function* selectNextExpiry(
  except: ReadonlySet<string>,
): Operation<HumanRequest | undefined> {
  const row = yield* get<RequestRow>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE answered_at IS NULL AND expires_at IS NOT NULL ` +
      "AND request_id NOT IN (SELECT value FROM json_each(?)) ORDER BY expires_at LIMIT 1",
    JSON.stringify([...except]),
  );
  return row && toRequest(row);
}

/** Returns the answers to an execution's questions, by the position of the tool call, in the order of the questions. */
export function* selectAnswers(executionId: number): Operation<Map<number, GivenAnswer[]>> {
  const rows = yield* all<RequestRow & { response: string }>(
    `SELECT ${REQUEST_COLUMNS}, response FROM requests ` +
      "WHERE execution_id = ? AND response IS NOT NULL ORDER BY rowid",
    executionId,
  );
  const given = rows.map(({ response, ...row }) => ({
    request: toRequest(row),
    answer: JSON.parse(response) as HumanAnswer,
  }));
  return Map.groupBy(given, ({ request }) => request.position);
}

/** Returns the open questions about sign-ins, oldest first. */
export function* selectSignIns(): Operation<HumanRequest[]> {
  const rows = yield* all<RequestRow>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE answered_at IS NULL AND ` +
      `body ->> '$.toolName' = '${SIGN_IN}' ORDER BY created_at, rowid`,
  );
  return rows.map(toRequest);
}

/** Converts a row to a question. */
export function toRequest({ body, ...columns }: RequestRow): HumanRequest {
  return { ...JSON.parse(body) as Omit<HumanRequest, keyof Columns>, ...columns };
}
