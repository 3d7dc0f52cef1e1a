// The wire of executions: in lists, each by itself, its log, its end.
import { z } from "zod";
import { addCosts } from "../../base/cost.ts";
import { EVENT_TYPES, type Frame } from "../../runtime/events/frame.ts";
import { EXECUTION_STATUSES } from "../../runtime/executions/states.ts";
import type {
  ExecutionDetail as Detail,
  ListedExecution as Listed,
} from "../../runtime/runtime.ts";
import { EXECUTION_TRIGGERS } from "../../runtime/trigger_kinds.ts";
import type { Source } from "../operations/wire.ts";
import { count, id, timestamp } from "./wire_values.ts";

/** The state of an execution. */
export const executionStatus = z.enum(EXECUTION_STATUSES).meta({ id: "ExecutionStatus" });

/** Who or what began an execution. */
export const executionTrigger = z.enum(EXECUTION_TRIGGERS).meta({ id: "ExecutionTrigger" });

/** An execution as lists show it. */
export const ExecutionSummary = z.object({
  id,
  agent_id: z.string(),
  status: executionStatus,
  trigger: executionTrigger,
  parent_execution_id: id.nullable(),
  after_execution_id: id.optional().meta({
    description: "Only with the trigger `after`: the execution whose end started it",
  }),
  dry_run: z.literal(true).optional().meta({
    description: "Only of a dry run, which changed nothing",
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
    description: "Only while it waits for a node that has all of these labels, and none lives",
  }),
  retry: z.object({
    at: timestamp,
    attempt: count.meta({ description: "Which further try it will be" }),
    of: count.meta({ description: "How many there may be" }),
    reason: z.string(),
  }).meta({ id: "RunRetry" }).optional().meta({
    description: "Only while it waits for a further try, as its model could not be reached",
  }),
}).meta({ id: "Execution" });
export type ExecutionSummary = z.infer<typeof ExecutionSummary>;

/** An execution of a list. */
export const ListedExecution = ExecutionSummary.extend({
  preview: z.object({
    asked: z.string().nullable(),
    answered: z.string().nullable(),
  }).optional().meta({
    description: "With `preview=true`: the beginnings of the message and of the answer",
  }),
}).meta({ id: "ListedExecution" });
export type ListedExecution = z.infer<typeof ListedExecution>;

/** An execution with its answer. */
export const ExecutionDetail = ExecutionSummary.extend({
  output_data: z.string().nullable(),
  message: z.string().nullable().meta({ description: "What it was asked in place of its task" }),
  context: z.string().nullable().meta({ description: "What was appended to that" }),
  asked_redacted: z.boolean().meta({
    description: "Whether secrets were taken out of `args`, `message` or `context`",
  }),
  forked_from: z.object({ execution_id: id, step: count }).meta({ id: "ForkOrigin" }).nullable()
    .meta({
      description: "The execution whose first steps it took over, and how many",
    }),
  usage_estimated: z.boolean().meta({
    description:
      "Whether its last reply was cut off, so that part of its tokens and of its cost is estimated",
  }),
  total_cost_usd: z.number().nullable().meta({
    description: "Its own cost plus that of all executions below it; null when no price is known",
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

/** One entry of an execution's message log. */
export const LogRow = z.object({
  id,
  execution_id: id,
  timestamp,
  event_type: z.enum(EVENT_TYPES),
  message: z.string(),
  metadata: z.string().nullable().meta({ description: "JSON text of the entry's further fields" }),
}).meta({ id: "LogRow" });
export type LogRow = z.infer<typeof LogRow>;

/** DELETE /executions/{id}. */
export const CancelBody = z.object({
  status: z.enum(["cancelling", ...EXECUTION_STATUSES]),
  execution_id: id,
}).meta({ id: "Cancel" });
export type CancelBody = z.infer<typeof CancelBody>;

/** An execution by the names of the wire. */
export function toExecution(execution: Listed): Source<typeof ListedExecution> {
  const { isDryRun, status, retry } = execution;
  return {
    ...execution,
    dryRun: isDryRun ? true : undefined,
    retry: status === "running" && !retry?.isUnderWay ? retry : undefined,
  };
}

/** An execution with its answer by the names of the wire. */
export function toExecutionDetail(execution: Detail): Source<typeof ExecutionDetail> {
  return {
    ...execution,
    ...toExecution(execution),
    askedRedacted: execution.isAskedRedacted,
    usageEstimated: execution.isUsageEstimated,
    totalCostUsd: addCosts(execution.costUsd, execution.children.costUsd),
  };
}

/** Fields of a payload that a log row shows by themselves, or that are the same in every row. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  ...["timestamp", "event_type", "message"],
  ...["execution_id", "agent_id", "display_name", "agent_name"],
]);

/** A stored frame as an entry of the message log. */
export function toLogRow({ id, executionId, payload: text }: Frame): Source<typeof LogRow> {
  const payload = JSON.parse(text);
  const { timestamp, event_type: eventType, message } = payload;
  const rest = Object.entries(payload).filter(([name, value]) =>
    !NOT_METADATA.has(name) && !(name === "content" && value === message)
  );
  const metadata = rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest));
  return { id, executionId, timestamp, eventType, message, metadata };
}
