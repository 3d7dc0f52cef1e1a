// The wire: what every request and response of the HTTP API looks like. Built from the runtime's own lists; the
// API description is generated from these schemas, and clients take their types from here.
import { z } from "zod";
import { HISTORY_LEVELS, ON_PENDING, TRIGGER_TYPES } from "../runtime/agents/agent.ts";
import { EVENT_TYPES } from "../runtime/events/frame.ts";
import { SLOT_OUTCOMES } from "../runtime/triggers/slot_store.ts";
import { EXECUTION_STATUSES, EXECUTION_TRIGGERS } from "../runtime/executions/execution.ts";

/** The most characters (code points) of a session id. */
const SESSION_ID_MAX = 200;

const id = z.int();
const count = z.int().nonnegative();
const timestamp = z.iso.datetime().meta({
  description: "ISO 8601, UTC, milliseconds, `Z`",
  examples: ["2026-01-31T08:30:00.000Z"],
});

/** One problem of a request that does not fit its schema. */
export const ValidationIssue = z.object({
  type: z.string(),
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  input: z.unknown(),
}).meta({ id: "ValidationIssue" });
export type ValidationIssue = z.infer<typeof ValidationIssue>;

/** The body of every refusal. */
export const ErrorBody = z.object({
  detail: z.union([z.string(), z.array(ValidationIssue)]),
}).meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** A problem in a file that a person wrote. */
export const DiagnosticBody = z.object({
  path: z.string(),
  line: z.int(),
  column: z.int(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  hint: z.string().nullable(),
}).meta({ id: "Diagnostic" });
export type DiagnosticBody = z.infer<typeof DiagnosticBody>;

/** An execution as lists show it. */
export const ExecutionSummary = z.object({
  id,
  agent_id: z.string(),
  status: z.enum(EXECUTION_STATUSES),
  trigger: z.enum(EXECUTION_TRIGGERS),
  parent_execution_id: id.nullable(),
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
}).meta({ id: "Execution" });
export type ExecutionSummary = z.infer<typeof ExecutionSummary>;

/** An execution with its answer. */
export const ExecutionDetail = ExecutionSummary.extend({
  output_data: z.string().nullable(),
  total_cost_usd: z.number().nullable().meta({
    description: "Its own cost and that of all executions below it; null where none is known",
  }),
  children: z.object({
    count,
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    cost_usd: z.number().nullable(),
  }).meta({ description: "What the executions below it used, those it delegated to and theirs" }),
}).meta({ id: "ExecutionDetail" });
export type ExecutionDetail = z.infer<typeof ExecutionDetail>;

/** An agent as lists show it. */
export const AgentSummary = z.object({
  id: z.string(),
  display_name: z.string(),
  name: z.string().meta({ description: "The same as display_name" }),
  description: z.string(),
  icon: z.string(),
  enabled: z.boolean(),
  trigger_type: z.enum(TRIGGER_TYPES),
  model_provider: z.string().nullable(),
  model_name: z.string().nullable(),
  trigger_every: z.string().nullable(),
  trigger_cron: z.string().nullable(),
  trigger_paths: z.array(z.string()).nullable(),
  last_run: timestamp.nullable(),
  last_status: z.enum(EXECUTION_STATUSES).nullable(),
  last_execution_id: id.nullable(),
  next_run: timestamp.nullable(),
  trigger_paused: z.string().nullable().meta({
    description: "Why its trigger was stopped although the scheduler runs; null when it was not",
  }),
}).meta({ id: "Agent" });
export type AgentSummary = z.infer<typeof AgentSummary>;

const catchUp = z.enum(["once", "none"]);

/** A trigger as an agent file declares it, with defaults filled in. */
export const TriggerBody = z.discriminatedUnion("type", [
  z.object({ type: z.literal("manual"), input: z.string().nullable() }),
  z.object({
    type: z.literal("schedule"),
    every: z.string().nullable(),
    cron: z.string().nullable(),
    timezone: z.string().nullable(),
    catch_up: catchUp,
    input: z.string().nullable(),
  }),
  z.object({
    type: z.literal("watch"),
    paths: z.array(z.string()),
    filters: z.object({ include: z.array(z.string()), exclude: z.array(z.string()) }),
    debounce: z.number().meta({ description: "Seconds" }),
    catch_up: catchUp,
    input: z.string().nullable(),
  }),
]).meta({ id: "Trigger" });
export type TriggerBody = z.infer<typeof TriggerBody>;

/** An agent with its whole configuration. */
export const AgentDetail = AgentSummary.extend({
  history: z.enum(HISTORY_LEVELS),
  settings: z.object({
    temperature: z.number(),
    max_tokens: z.int(),
    timeout: z.number().meta({ description: "Seconds to wait for one model reply" }),
    max_tool_calls: z.int().nullable(),
    max_execution_tokens: z.int().nullable(),
    max_cost_usd: z.number().nullable(),
    loop_detection: z.boolean(),
  }),
  paths: z.record(z.string(), z.string()).meta({ description: "Alias to absolute path" }),
  custom_tools: z.array(z.string()),
  mcp: z.array(z.string()),
  skills: z.array(z.string()),
  agents: z.array(z.string()),
  confirm: z.array(z.string()).meta({ description: "The tools that are guarded in effect" }),
  auto_approve: z.union([z.literal("*"), z.array(z.string())]),
  on_pending: z.enum(ON_PENDING),
  confirm_timeout: z.string().meta({ description: "A duration such as `5m`, or `none`" }),
  trigger: TriggerBody,
  source_path: z.string(),
  warnings: z.array(DiagnosticBody),
  last_execution: ExecutionSummary.nullable(),
}).meta({ id: "AgentDetail" });
export type AgentDetail = z.infer<typeof AgentDetail>;

/** A file in the agents directory, and what is wrong with it: errors where it never parsed, else warnings. */
export const AgentErrorBody = z.object({
  id: z.string(),
  path: z.string(),
  diagnostics: z.array(DiagnosticBody),
}).meta({ id: "AgentError" });
export type AgentErrorBody = z.infer<typeof AgentErrorBody>;

const schedulerStatus = z.enum(["running", "paused"]);

/** GET /info. */
export const InfoBody = z.object({
  version: z.string(),
  pid: z.int(),
  uptime_seconds: z.number(),
  agents_loaded: count,
  agents_enabled: count,
  scheduler_status: schedulerStatus,
  watcher_active: z.boolean(),
  active_streams: count,
  active_executions: count,
  waiting_executions: count,
  started_at: timestamp,
  workspace: z.string(),
  state_dir: z.string(),
  log_file: z.string(),
  transports: z.array(z.string()).meta({
    description: "`unix:/path/to/socket`, `tcp://host:port`",
  }),
  keep_alive: z.boolean(),
  agent_errors: z.array(AgentErrorBody),
  agent_warnings: z.array(AgentErrorBody).meta({
    description: "Agents that work, with what is wrong with their files or around them",
  }),
}).meta({ id: "Info" });
export type InfoBody = z.infer<typeof InfoBody>;

/** POST /shutdown. */
export const ShutdownBody = z.object({ message: z.string() }).meta({ id: "Shutdown" });
export type ShutdownBody = z.infer<typeof ShutdownBody>;

/** What POST /agents/{id}/run takes; every field may be absent or null. */
export const RunBody = z.object({
  args: z.array(z.string()).nullish().meta({ description: "Substituted into the prompt" }),
  message: z.string().nullish().meta({ description: "Replaces the user turn" }),
  context: z.string().nullish().meta({ description: "Appended to the user turn" }),
  session_id: z.string().refine(
    // Characters are code points, as the limit's first implementation counted them; blank is absent at any length.
    (text) => text.trim() === "" || [...text].length <= SESSION_ID_MAX,
    { error: `String should have at most ${SESSION_ID_MAX} characters` },
  ).nullish().meta({
    description: `The conversation; at most ${SESSION_ID_MAX} characters, blank is absent`,
    maxLength: SESSION_ID_MAX,
  }),
}).meta({ id: "RunRequest" });
export type RunBody = z.infer<typeof RunBody>;

/** POST /agents/{id}/run. */
export const RunAccepted = z.object({
  execution_id: id,
  model: z.string().meta({ description: "`provider/name`" }),
}).meta({ id: "RunAccepted" });
export type RunAccepted = z.infer<typeof RunAccepted>;

/** POST /agents/reload. */
export const ReloadBody = z.object({
  agents_loaded: count,
  added: z.array(z.string()),
  updated: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.array(z.object({ path: z.string(), line: z.int(), message: z.string() })),
}).meta({ id: "Reload" });
export type ReloadBody = z.infer<typeof ReloadBody>;

/** An agent that runs by itself. */
export const SchedulerJob = z.object({
  agent_id: z.string(),
  display_name: z.string(),
  agent_name: z.string().meta({ description: "The same as agent_id" }),
  trigger_type: z.enum(TRIGGER_TYPES).exclude(["manual"]),
  next_run: timestamp.nullable(),
  upcoming: z.array(timestamp).meta({
    description: "The next times, as many as the parameter `upcoming` asks for",
  }),
  every: z.string().nullable(),
  cron: z.string().nullable(),
  timezone: z.string().nullable(),
  paths: z.array(z.string()).nullable(),
  last_run: timestamp.nullable(),
  trigger_paused: z.string().nullable(),
}).meta({ id: "SchedulerJob" });
export type SchedulerJob = z.infer<typeof SchedulerJob>;

/** GET /scheduler. */
export const SchedulerBody = z.object({
  status: schedulerStatus,
  jobs: z.array(SchedulerJob),
}).meta({ id: "Scheduler" });
export type SchedulerBody = z.infer<typeof SchedulerBody>;

/** A time at which an agent was due, and what became of it. */
export const SlotBody = z.object({
  scheduled_for: timestamp.meta({ description: "With a count above 1: the first of them" }),
  outcome: z.enum(SLOT_OUTCOMES),
  reason: z.string().nullable(),
  execution_id: id.nullable(),
  count,
}).meta({ id: "Slot" });
export type SlotBody = z.infer<typeof SlotBody>;

/** POST /scheduler/pause and /scheduler/resume. */
export const SchedulerChanged = z.object({ status: schedulerStatus }).meta({
  id: "SchedulerChanged",
});
export type SchedulerChanged = z.infer<typeof SchedulerChanged>;

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
