// From the runtime's executions and their frames to the wire's.
import { addCosts } from "../../base/cost.ts";
import { toTimestamp } from "../../base/clock.ts";
import type { Frame } from "../../runtime/events/frame.ts";
import type {
  ExecutionDetail as Detail,
  ListedExecution as Listed,
} from "../../runtime/runtime.ts";
import type {
  ExecutionDetail,
  ExecutionSummary,
  ListedExecution,
  LogRow,
} from "./execution_schemas.ts";
import { toTimestampOrNull } from "./wire_values.ts";

/** An execution without its answer. */
export function toExecutionSummary(execution: Listed): ExecutionSummary {
  return {
    id: execution.id,
    agent_id: execution.agentId,
    status: execution.status,
    trigger: execution.trigger,
    parent_execution_id: execution.parentExecutionId,
    ...(execution.afterExecutionId !== undefined && {
      after_execution_id: execution.afterExecutionId,
    }),
    ...(execution.isDryRun && { dry_run: true as const }),
    session_id: execution.sessionId,
    started_at: toTimestamp(execution.startedAt),
    finished_at: toTimestampOrNull(execution.finishedAt),
    duration_ms: execution.durationMs,
    total_tokens: execution.totalTokens,
    cost_usd: execution.costUsd,
    error: execution.error,
    input_tokens: execution.inputTokens,
    output_tokens: execution.outputTokens,
    tool_calls: execution.toolCalls,
    model: execution.model,
    args: execution.args,
    ...(execution.waitsForLabels && { waits_for_labels: [...execution.waitsForLabels] }),
    ...toNextTry(execution),
  };
}

function toNextTry({ status, retry }: Listed): Pick<ExecutionSummary, "retry"> {
  if (status !== "running" || retry === undefined || retry.isUnderWay) return {};
  const { at, attempt, of, reason } = retry;
  return { retry: { at: toTimestamp(at), attempt, of, reason } };
}

/** What an agent tells of its newest execution. */
export function toLastRun(execution: Listed | null): Pick<ExecutionSummary, "waits_for_labels"> & {
  last_run: string | null;
  last_status: ExecutionSummary["status"] | null;
  last_execution_id: number | null;
} {
  return {
    last_run: toTimestampOrNull(execution?.startedAt ?? null),
    last_status: execution?.status ?? null,
    last_execution_id: execution?.id ?? null,
    ...(execution?.waitsForLabels && { waits_for_labels: [...execution.waitsForLabels] }),
  };
}

/** An execution of a list. */
export function toListedExecution(execution: Listed): ListedExecution {
  const { preview } = execution;
  return { ...toExecutionSummary(execution), ...(preview !== undefined && { preview }) };
}

/** An execution with its answer. */
export function toExecutionDetail(execution: Detail): ExecutionDetail {
  const { children, costUsd, forkedFrom } = execution;
  return {
    ...toExecutionSummary(execution),
    output_data: execution.outputData,
    message: execution.message,
    context: execution.context,
    asked_redacted: execution.isAskedRedacted,
    forked_from: forkedFrom && { execution_id: forkedFrom.executionId, step: forkedFrom.step },
    usage_estimated: execution.isUsageEstimated,
    total_cost_usd: addCosts(costUsd, children.costUsd),
    children: {
      count: children.count,
      input_tokens: children.inputTokens,
      output_tokens: children.outputTokens,
      total_tokens: children.totalTokens,
      cost_usd: children.costUsd,
    },
  };
}

/** Fields of a payload that a log row shows by themselves, or that are the same in every row. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  "timestamp",
  "event_type",
  "message",
  "execution_id",
  "agent_id",
  "display_name",
  "agent_name",
]);

/** A stored frame as an entry of the message log. */
export function toLogRow(frame: Frame): LogRow {
  const payload = JSON.parse(frame.payload);
  const { timestamp, event_type, message } = payload;
  const rest = Object.entries(payload).filter(([name, value]) =>
    !NOT_METADATA.has(name) && !(name === "content" && value === message)
  );
  const metadata = rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest));
  return {
    id: frame.id,
    execution_id: frame.executionId,
    timestamp,
    event_type,
    message,
    metadata,
  };
}
