// Stores the approvals of a question that several people must approve.
import { countApproval, type PartialApproval } from "../../executions/approvals.ts";
import type { HumanRequest } from "../../executions/human_request.ts";
import type { RecordedAnswer } from "../../executions/record/request_store.ts";
import { recordAudit } from "../../audit/audit_table.ts";
import type { EventMessages } from "../../notify/outbox.ts";
import { get, lock, type Operation } from "../../database/operation.ts";
import { appendFrames, showsRequest } from "../frames.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution } from "./execution_rows.ts";
import { insertRequest, selectOpenRequest, updateApprovals, voidRequests } from "./request_rows.ts";

/** Returns the question with the name of the person who started the run, if the question's rule excludes this person. */
export function* withStarter(request: HumanRequest): Operation<HumanRequest> {
  const { rule, executionId } = request;
  if (!rule?.excludesStarter) return request;
  // A delegated run was started by the person who started its first ancestor.
  const row = yield* get<{ name: string }>(
    "WITH RECURSIVE above (id) AS (SELECT CAST(?1 AS BIGINT) UNION ALL SELECT e.parent_execution_id " +
      "FROM executions e JOIN above ON e.id = above.id WHERE e.parent_execution_id IS NOT NULL) " +
      "SELECT name FROM audit WHERE execution_id IN (SELECT id FROM above) " +
      "AND action IN ('start', 'fork') AND name IS NOT NULL ORDER BY execution_id LIMIT 1",
    executionId,
  );
  return row === undefined ? request : { ...request, rule: { ...rule, starter: row.name } };
}

/**
 * Counts an answer to a question with a rule. Returns the approvals so far if more people must approve. Returns undefined
 * if the question is not open or the answer closes it. Throws ApproverForbidden and ApprovedBefore.
 */
export function* addApproval(
  executionId: number,
  answer: RecordedAnswer,
  messages: EventMessages,
): Operation<PartialApproval | undefined> {
  const { approving, requestId } = answer;
  if (approving === undefined) return undefined;
  yield* lock(`request ${requestId}`);
  const open = yield* selectOpenRequest(executionId, requestId);
  if (open?.rule === undefined) return undefined;
  const { rule } = open;
  const given = { ...approving, answer: answer.answer, at: answer.answeredAt };
  const partial = countApproval({ ...open, rule }, given);
  if (partial === undefined) return undefined;
  yield* recordAudit(answer.audit, { executionId });
  const isReplaced = partial.request.requestId !== requestId;
  if (isReplaced) {
    yield* voidRequests(executionId, answer.answeredAt);
    yield* insertRequest(partial.request);
  } else yield* updateApprovals(partial.request);
  const select = `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id = `;
  const own = yield* get<ExecutionRow>(`${select}?`, executionId);
  for (let row = own; row?.status === "waiting";) {
    const execution = toExecution(row);
    if (isReplaced && row === own) {
      yield* messages.record({ type: "waiting", execution, request: partial.request });
    }
    if (yield* showsRequest(row.id, requestId)) {
      yield* appendFrames(row.id, approving.frames(execution, partial), "waiting");
    }
    row = yield* get<ExecutionRow>(
      `${select}(SELECT parent_execution_id FROM executions WHERE id = ?)`,
      row.id,
    );
  }
  return partial;
}
