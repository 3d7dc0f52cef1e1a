// Sums the usage of executions by agent and quarter of an hour, so that callers can compute days in any time zone.
import { COST_PLACES } from "../../../base/cost.ts";
import { USAGE_STEP_MS, type UsageStep } from "../../executions/usage.ts";
import type { UsageDivision } from "../../vocabulary/usage_divisions.ts";
import { OPEN } from "./execution_rows.ts";
import { all, type Operation } from "../../database/operation.ts";

/** Returns the usage of all executions since `from`, oldest quarter of an hour first, by agent and by `by`. */
export function* selectUsage(from: number, by?: UsageDivision): Operation<UsageStep[]> {
  const division = by === undefined ? "" : `, ${by}`;
  return (yield* all<UsageStep>(
    `SELECT started_at / ${USAGE_STEP_MS} * ${USAGE_STEP_MS} AS start, agent_id AS agentId${division}, count(*) AS executions, ` +
      "count(*) FILTER (WHERE status = 'success') AS succeeded, " +
      `count(*) FILTER (WHERE status <> 'success' AND status NOT IN ${OPEN}) AS failed, ` +
      "coalesce(sum(duration_ms), 0) AS durationMs, " +
      "sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens, " +
      `coalesce(sum(total_tokens), 0) AS totalTokens, round(sum(cost_usd), ${COST_PLACES}) AS costUsd ` +
      `FROM executions WHERE started_at >= ? GROUP BY start, agent_id${division} ` +
      `ORDER BY start, agent_id${division}`,
    from,
  )).map((row) => ({ ...row }));
}
