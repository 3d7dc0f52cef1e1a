// The columns of the table of executions, and the conversion of a row to an Execution.
import { COST_PLACES } from "../../../base/cost.ts";
import type { Execution, RunRest, RunRetry } from "../../executions/execution.ts";
import type { RecordedReply } from "../../executions/record/conversation_store.ts";
import type { StoredExecution } from "../../executions/record/execution_reads.ts";
import { OPEN_STATUSES } from "../../executions/states.ts";
import type { ExecutionRequest } from "../../executions/execution_request.ts";
import { all, type Operation, type SqlText, type SqlValue } from "../../database/operation.ts";

/** A row of `executions`, as selected by EXECUTION_COLUMNS. */
export type ExecutionRow =
  & Pick<Execution, (typeof FIELDS)[number]>
  & {
    depth: number;
    /** The JSON of the request. */
    request: string;
    /** The JSON of the planned retry (RunRetry); null if there is none. */
    retry: string | null;
    /** The JSON of the current or last rest (RunRest); null if there was none. */
    rest: string | null;
  };

/** A row with the execution's answer. */
export type AnsweredRow = ExecutionRow & { output: string | null };

/** The fields of an execution that are columns, too. */
const FIELDS = [
  ...["id", "agentId", "displayName", "status", "trigger", "parentExecutionId"] as const,
  ...["sessionId", "model", "startedAt", "finishedAt", "durationMs", "error"] as const,
  ...["inputTokens", "outputTokens", "totalTokens", "costUsd", "toolCalls"] as const,
];

/** SQL: the columns of ExecutionRow, for SELECT and RETURNING. Excludes the answer, which may be large. */
export const EXECUTION_COLUMNS = [...FIELDS, "depth", "request", "retry", "rest"].map((name) => {
  const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return column === name ? name : `${column} AS ${name}`;
}).join(", ");

/** SQL: the columns of AnsweredRow. */
export const ANSWERED_COLUMNS = `${EXECUTION_COLUMNS}, output_data AS output`;

/** SQL: adds the values of figuresOf() to the figures of an execution. */
export const ADD_FIGURES = "input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, " +
  "total_tokens = coalesce(coalesce(total_tokens, 0) + ?, total_tokens), " +
  `cost_usd = coalesce(round(coalesce(cost_usd, 0) + ?, ${COST_PLACES}), cost_usd), ` +
  "tool_calls = tool_calls + ?, duration_ms = coalesce(duration_ms, 0) + ?";

/** Returns the parameters of ADD_FIGURES, in its order. A reply without `usage` leaves an unknown total unknown. */
export function figuresOf(
  { usage, costUsd, durationMs }: Pick<RecordedReply, "usage" | "costUsd" | "durationMs">,
  calls: number,
): SqlValue[] {
  const { inputTokens, outputTokens } = usage ?? { inputTokens: 0, outputTokens: 0 };
  const totalTokens = usage === null ? null : inputTokens + outputTokens;
  return [inputTokens, outputTokens, totalTokens, costUsd, calls, durationMs];
}

/** Returns an SQL list such as `('a', 'b')`. The words must be constants, because they are not escaped. */
export function sqlList(words: readonly string[]): string {
  return `(${words.map((word) => `'${word}'`).join(", ")})`;
}

/** SQL: the execution is no dry run. */
export const IS_REAL = "request ->> '$.dryRun' IS NULL";

/** SQL: the list of the states of executions that have not ended. */
export const OPEN = sqlList(OPEN_STATUSES);

/** Converts a row that must exist to an execution. Throws a TypeError for undefined. */
export function requireExecution(row: ExecutionRow | undefined): Execution {
  if (row === undefined) throw new TypeError("The statement returned no execution");
  return toExecution(row);
}

/** Converts a row to an execution. */
export function toExecution({ request, depth, retry, rest, ...row }: ExecutionRow): Execution {
  const { args, cause, dryRun, fork, trial } = JSON.parse(request) as ExecutionRequest;
  return {
    ...row,
    ...(depth > 0 && { depth }),
    ...(cause?.type === "after" && { afterExecutionId: cause.executionId }),
    ...(dryRun && { isDryRun: true }),
    ...(trial && { isTrial: true }),
    ...(((fork && !fork.startsFollowers) || trial) && { isUnfollowed: true }),
    args,
    ...(retry !== null && { retry: JSON.parse(retry) as RunRetry }),
    ...(rest !== null && { rest: JSON.parse(rest) as RunRest }),
  };
}

/** Converts a row to an execution with its request and answer. */
export function toStored({ output, ...row }: AnsweredRow): StoredExecution {
  const request = JSON.parse(row.request) as ExecutionRequest;
  return { execution: toExecution(row), request, output };
}

/** Returns the ids that a query selects. */
export function* selectIds(sql: SqlText, ...values: SqlValue[]): Operation<number[]> {
  return (yield* all<{ id: number }>(sql, ...values)).map(({ id }) => id);
}
