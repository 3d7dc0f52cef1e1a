// The columns of the table of executions, and the conversion of a row to an Execution.
import type { Execution, RunRest, RunRetry } from "../../executions/execution.ts";
import { type ExecutionStatus, OPEN_STATUSES } from "../../executions/states.ts";
import type { ExecutionTrigger } from "../../vocabulary/trigger_kinds.ts";
import type { ExecutionRequest } from "../../executions/execution_request.ts";

/** The columns of ExecutionRow, for SELECT and RETURNING. Excludes the answer, which may be large. */
export const EXECUTION_COLUMNS = "id, agent_id, display_name, status, trigger, " +
  "parent_execution_id, depth, session_id, request, model, started_at, finished_at, duration_ms, " +
  "input_tokens, output_tokens, total_tokens, cost_usd, tool_calls, error, retry, rest";

/** A row of `executions` with the columns of EXECUTION_COLUMNS. Times are milliseconds since the epoch, `request` is JSON. */
export interface ExecutionRow {
  id: number;
  agent_id: string;
  display_name: string;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  parent_execution_id: number | null;
  depth: number;
  session_id: string | null;
  request: string;
  model: string;
  started_at: number;
  finished_at: number | null;
  duration_ms: number | null;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number | null;
  cost_usd: number | null;
  tool_calls: number;
  error: string | null;
  /** The JSON of the planned retry (RunRetry); null if there is none. */
  retry: string | null;
  /** The JSON of the current or last rest (RunRest); null if there was none. */
  rest: string | null;
}

/** Returns an SQL list such as `('a', 'b')`. The words must be constants, because they are not escaped. */
export function sqlList(words: readonly string[]): string {
  return `(${words.map((word) => `'${word}'`).join(", ")})`;
}

/** SQL: the execution is no dry run. */
export const IS_REAL = "request ->> '$.dryRun' IS NULL";

/** SQL: the list of the states of executions that have not ended. */
export const OPEN = sqlList(OPEN_STATUSES);

/** Parses the request of a row. */
export function toRequest(row: ExecutionRow): ExecutionRequest {
  return JSON.parse(row.request) as ExecutionRequest;
}

/** Converts a row that must exist to an execution. Throws a TypeError for undefined. */
export function requireExecution(row: ExecutionRow | undefined): Execution {
  if (row === undefined) throw new TypeError("The statement returned no execution");
  return toExecution(row);
}

/** Converts a row to an execution. */
export function toExecution(row: ExecutionRow): Execution {
  const { args, cause, dryRun, fork, trial } = toRequest(row);
  return {
    id: row.id,
    agentId: row.agent_id,
    displayName: row.display_name,
    status: row.status,
    trigger: row.trigger,
    parentExecutionId: row.parent_execution_id,
    ...(row.depth > 0 && { depth: row.depth }),
    ...(cause?.type === "after" && { afterExecutionId: cause.executionId }),
    ...(dryRun && { isDryRun: true }),
    ...(trial && { isTrial: true }),
    ...(((fork && !fork.startsFollowers) || trial) && { isUnfollowed: true }),
    sessionId: row.session_id,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    durationMs: row.duration_ms,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    totalTokens: row.total_tokens,
    costUsd: row.cost_usd,
    toolCalls: row.tool_calls,
    model: row.model,
    args,
    error: row.error,
    ...(row.retry !== null && { retry: JSON.parse(row.retry) as RunRetry }),
    ...(row.rest !== null && { rest: JSON.parse(row.rest) as RunRest }),
  };
}
