// The schemas of the data of stream events.
import { z } from "zod";
import { EVENT_TYPES, FRAME_EVENTS } from "../../runtime/events/frame.ts";
import { budgetUnit } from "./budget_schemas.ts";
import { executionStatus, executionTrigger } from "./execution_schemas.ts";
import { PendingBody, PreviewBody } from "./request_schemas.ts";
import { count, id, timestamp } from "./wire_values.ts";

const identity = {
  execution_id: id,
  agent_id: z.string(),
  display_name: z.string(),
  agent_name: z.string().meta({ description: "The same as agent_id" }),
};

/** The data of an event of one execution's stream. */
export const ExecutionFrame = z.object({
  event_type: z.enum([...EVENT_TYPES, "waiting", "shutdown", "delta"]),
  ...identity,
  timestamp,
  message: z.string().meta({ description: "The text of the log row" }),
  content: z.string().optional(),
  role: z.string().optional().meta({ description: "Of a message: `system` or `user`" }),
  model: z.string().optional().meta({ description: "Of execution_info: the model" }),
  trigger: executionTrigger.optional(),
  args: z.array(z.string()).optional(),
  session_id: z.string().nullish(),
  dry_run: z.literal(true).optional().meta({ description: "Of execution_info of a dry run" }),
  tools: z.array(z.object({ id: z.string(), name: z.string(), args: z.string() })).optional().meta({
    description: "The calls of a reply; `args` is JSON text",
  }),
  tool_call_id: z.string().optional(),
  tool_name: z.string().optional(),
  is_error: z.boolean().optional(),
  duration_ms: count.nullish(),
  change: PreviewBody.optional().meta({ description: "Of tool_result: the change of a file" }),
  would_do: z.array(z.unknown()).optional().meta({
    description: "Of tool_result in a dry run: the calls that were described and not made",
  }),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  total_tokens: count.nullish(),
  cost_usd: z.number().nullish(),
  warning: z.string().optional().meta({ description: "Of stats: `max_cost_usd` does not hold" }),
  usage_estimated: z.literal(true).optional().meta({
    description: "Of complete: the last reply was cut off, so part of the usage is estimated",
  }),
  status: executionStatus.optional().meta({ description: "Of complete: the final status" }),
  error: z.string().nullish(),
  request_id: z.string().optional().meta({
    description: "Of interrupt and waiting, and of a message that is a person's answer",
  }),
  kind: z.string().optional().meta({
    description: "Of interrupt and waiting: as in Pending. Of meta: `notice`, `reasoning` or " +
      "`repair`; absent for a skill",
  }),
  tool_args: PendingBody.shape.tool_args.optional(),
  options: z.array(z.string()).nullish(),
  multi: z.boolean().optional(),
  created_at: timestamp.optional(),
  expires_at: timestamp.nullish(),
  answered_via: z.string().optional().meta({ description: "Of an answer: its origin" }),
  answered_by: z.string().optional(),
  arguments: PendingBody.shape.tool_args.optional().meta({
    description: "Of an approval: the arguments that the person changed",
  }),
  level: z.string().optional().meta({ description: "Of a notice: `info` or `warn`" }),
  pauses: z.literal(true).optional().meta({ description: "Of a notice: the execution rests" }),
  faults: z.array(z.string()).optional().meta({ description: "Of a repair" }),
  restart: z.literal(true).optional().meta({
    description: "Of a delta: its content replaces the text of the reply so far",
  }),
  reason: z.string().optional().meta({ description: "Of shutdown: the reason for the stop" }),
}).meta({
  id: "ExecutionFrame",
  description: `The data of the events ${FRAME_EVENTS.join(", ")}, waiting, shutdown and delta. ` +
    "The fields depend on event_type",
});

/** The data of an event of the service's stream. */
export const ServiceEventData = z.object({
  ...identity,
  trigger: executionTrigger,
  status: z.string().meta({
    description: "The status of an execution, the scheduler or a trigger",
  }),
  duration_ms: count.nullable(),
  event: z.enum(["loaded", "updated", "removed"]).meta({ description: "Of agents_changed" }),
  request_id: z.string(),
  kind: z.string(),
  message: z.string(),
  reason: z.string().nullable(),
  rests_until: timestamp.meta({ description: "Of execution_resting: the end of the rest" }),
  rests_for: z.string().meta({ description: "Of execution_resting: the reason of the rest" }),
  budget: z.string().meta({ description: "Of budget_warning: `per_day`, `tokens.tree`" }),
  unit: budgetUnit,
  used: z.number(),
  limit: z.number(),
  resets_at: timestamp.nullable(),
  timestamp,
}).partial().meta({
  id: "ServiceEvent",
  description: "The fields depend on the event",
});
