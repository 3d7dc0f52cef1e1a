// The schemas of executions and their message logs, with the conversions from the runtime's values.
import { z } from "zod";
import { addCosts } from "../../base/cost.ts";
import { EVENT_TYPES, type Frame } from "../../runtime/events/frame.ts";
import { EXECUTION_STATUSES } from "../../runtime/executions/states.ts";
import type {
  ExecutionDetail as Detail,
  ListedExecution as Listed,
} from "../../runtime/interface/runtime.ts";
import { EXECUTION_TRIGGERS } from "../../runtime/vocabulary/trigger_kinds.ts";
import type { Source } from "./wire.ts";
import { count, id, timestamp } from "./wire_values.ts";

/** The state of an execution. */
export const executionStatus = z.enum(EXECUTION_STATUSES).meta({ id: "ExecutionStatus" });

/** The trigger of an execution. */
export const executionTrigger = z.enum(EXECUTION_TRIGGERS).meta({ id: "ExecutionTrigger" });

/** The summary of an execution. */
export const ExecutionSummary = z.object({
  id,
  agent_id: z.string(),
  status: executionStatus,
  trigger: executionTrigger,
  parent_execution_id: id.nullable(),
  after_execution_id: id.optional().meta({
    description: "Only with the trigger `after`: the execution whose end started this one",
  }),
  dry_run: z.literal(true).optional().meta({
    description: "Present only for a dry run, which changes nothing",
  }),
  session_id: z.string().nullable(),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
  duration_ms: count.nullable(),
  total_tokens: count.nullable(),
  cost_usd: z.number().nullable(),
  error: z.string().nullable(),
  input_tokens: count,
  output_tokens: count,
  tool_calls: count,
  model: z.string().meta({ description: "`provider/name`; empty when none is configured" }),
  args: z.array(z.string()),
  waits_for_labels: z.array(z.string()).optional().meta({
    description:
      "Present only while it waits for a node with all of these labels, and none is alive",
  }),
  retry: z.object({
    at: timestamp,
    attempt: count.meta({ description: "The number of the next retry" }),
    of: count.meta({ description: "The maximum number of retries" }),
    reason: z.string(),
  }).meta({ id: "RunRetry" }).optional().meta({
    description: "Present only while it waits for a retry because its model could not be reached",
  }),
  rests_until: timestamp.optional().meta({
    description: "Present only while it rests: the time at which it continues",
  }),
  rests_for: z.string().optional().meta({ description: "The reason of the rest" }),
}).meta({ id: "Execution" });
export type ExecutionSummary = z.infer<typeof ExecutionSummary>;

/** An execution in a list of executions. */
export const ListedExecution = ExecutionSummary.extend({
  preview: z.object({
    asked: z.string().nullable(),
    answered: z.string().nullable(),
  }).optional().meta({
    description: "With `preview=true`: the beginning of the message and of the answer",
  }),
}).meta({ id: "ListedExecution" });
export type ListedExecution = z.infer<typeof ListedExecution>;

/** An execution with its answer. */
export const ExecutionDetail = ExecutionSummary.extend({
  output_data: z.string().nullable(),
  message: z.string().nullable().meta({
    description: "The user message that was sent instead of `trigger.input`",
  }),
  context: z.string().nullable().meta({
    description: "The context that was appended to the user message",
  }),
  asked_redacted: z.boolean().meta({
    description: "True if secrets were redacted from `args`, `message` or `context`",
  }),
  forked_from: z.object({ execution_id: id, step: count }).meta({ id: "ForkOrigin" }).nullable()
    .meta({
      description: "The forked execution, and the number of steps copied from it",
    }),
  usage_estimated: z.boolean().meta({
    description:
      "True if its last reply was cut off, so that part of its tokens and its cost is estimated",
  }),
  total_cost_usd: z.number().nullable().meta({
    description: "Its own cost plus that of its `children`; null if no price is known",
  }),
  children: z.object({
    count,
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    cost_usd: z.number().nullable(),
  }).meta({ description: "Usage of all executions that it delegated to, directly or indirectly" }),
}).meta({ id: "ExecutionDetail" });
export type ExecutionDetail = z.infer<typeof ExecutionDetail>;

/** An entry of an execution's message log. */
export const LogRow = z.object({
  id,
  execution_id: id,
  timestamp,
  event_type: z.enum(EVENT_TYPES),
  message: z.string(),
  metadata: z.string().nullable().meta({
    description: "The other fields of the entry, as JSON text",
  }),
}).meta({ id: "LogRow" });
export type LogRow = z.infer<typeof LogRow>;

/** The response of DELETE /executions/{id}. */
export const CancelBody = z.object({
  status: z.enum(["cancelling", ...EXECUTION_STATUSES]),
  execution_id: id,
}).meta({ id: "Cancel" });
export type CancelBody = z.infer<typeof CancelBody>;

/** Converts an execution in a list to a source for toWire(). */
export function toExecution(execution: Listed): Source<typeof ListedExecution> {
  const { isDryRun, status, retry } = execution;
  return {
    ...execution,
    dryRun: isDryRun ? true : undefined,
    retry: status === "running" && !retry?.isUnderWay ? retry : undefined,
    ...toRest(execution),
  };
}

/** Converts the current rest of an execution to a source for toWire(). */
export function toRest(
  { status, rest }: Pick<Listed, "status" | "rest">,
): Pick<Source<typeof ExecutionSummary>, "restsUntil" | "restsFor"> {
  const isResting = status === "running" && rest?.ended === undefined;
  return isResting ? { restsUntil: rest?.until, restsFor: rest?.reason } : {};
}

/** Converts an execution with its details to a source for toWire(). */
export function toExecutionDetail(execution: Detail): Source<typeof ExecutionDetail> {
  return {
    ...execution,
    ...toExecution(execution),
    askedRedacted: execution.isRequestRedacted,
    usageEstimated: execution.isUsageEstimated,
    totalCostUsd: addCosts(execution.costUsd, execution.children.costUsd),
  };
}

/** The fields of a payload that a log row contains separately, or that are equal in every row. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  ...["timestamp", "event_type", "message"],
  ...["execution_id", "agent_id", "display_name", "agent_name"],
]);

/** Converts a stored frame to an entry of the message log. */
export function toLogRow({ id, executionId, payload: text }: Frame): Source<typeof LogRow> {
  const payload = JSON.parse(text);
  const { timestamp, event_type: eventType, message } = payload;
  const rest = Object.entries(payload).filter(([name, value]) =>
    !NOT_METADATA.has(name) && !(name === "content" && value === message)
  );
  const metadata = rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest));
  return { id, executionId, timestamp, eventType, message, metadata };
}
