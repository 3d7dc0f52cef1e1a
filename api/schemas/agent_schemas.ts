// The wire of agents, and the way there: in lists, each with its configuration, and reading their files again.
import { z } from "zod";
import {
  type DOLLAR_BUDGET,
  HISTORY_LEVELS,
  MCP_CONFIRM,
  ON_BUDGET,
  ON_PENDING,
  type RUN_SETTINGS,
  type TOKEN_BUDGET,
  UNPRICED,
} from "../../runtime/config/agent_settings.ts";
import { TRIGGER_TYPES } from "../../runtime/trigger_kinds.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { writeDuration } from "../../base/durations.ts";
import type { AgentListing, Outcomes } from "../../runtime/runtime.ts";
import type { Source } from "../operations/wire.ts";
import { DiagnosticBody } from "./diagnostic_schemas.ts";
import { executionStatus, ExecutionSummary, toExecution } from "./execution_schemas.ts";
import { toTrigger, TriggerBody } from "./trigger_schemas.ts";
import { triggerNotes } from "./scheduler_schemas.ts";
import { count, id, timestamp, webhookScheme } from "./wire_values.ts";

/** An agent as lists show it. */
export const AgentSummary = z.object({
  id: z.string(),
  display_name: z.string(),
  name: z.string().meta({ description: "The same as display_name" }),
  description: z.string(),
  icon: z.string(),
  enabled: z.boolean(),
  trigger_type: z.enum(TRIGGER_TYPES).meta({ id: "TriggerType" }),
  model_provider: z.string().nullable(),
  model_name: z.string().nullable(),
  trigger_every: z.string().nullable(),
  trigger_cron: z.string().nullable(),
  trigger_paths: z.array(z.string()),
  trigger_scheme: webhookScheme.nullable().meta({
    description: "How senders show who they are, where it has a webhook",
  }),
  after: z.array(z.string()).meta({ description: "The agents whose ends start it" }),
  last_run: timestamp.nullable(),
  last_status: executionStatus.nullable(),
  last_execution_id: id.nullable(),
  waits_for_labels: ExecutionSummary.shape.waits_for_labels,
  next_run: timestamp.nullable(),
  trigger_paused: z.string().nullable().meta({
    description: "Why its trigger is stopped although the scheduler runs; otherwise null",
  }),
  ...triggerNotes,
  last_day: z.object({ ended: count, succeeded: count }).optional().meta({
    description:
      "With `day=true`: of the executions of the last 24 hours, how many ended, how many with success",
  }),
}).meta({ id: "Agent" });
export type AgentSummary = z.infer<typeof AgentSummary>;

const dollars = z.number().nullable();
const tokens = z.int().nullable();

/** A change that did not start a run, because the file's content was the same, and how many there were. */
const PassedOver = z.object({ path: z.string(), at: timestamp, count }).meta({ id: "PassedOver" });

/** An agent with its whole configuration. */
export const AgentDetail = AgentSummary.extend({
  history: z.enum(HISTORY_LEVELS),
  settings: z.object(
    {
      temperature: z.number(),
      max_tokens: z.int(),
      timeout: z.number().meta({ description: "Seconds to wait for one model reply" }),
      max_tool_calls: z.int().nullable(),
      max_execution_tokens: z.int().nullable(),
      max_cost_usd: z.number().nullable(),
      max_duration: z.int().nullable().meta({ description: "Seconds" }),
      loop_detection: z.boolean(),
    } satisfies Record<keyof typeof RUN_SETTINGS, z.ZodType>,
  ),
  paths: z.record(z.string(), z.string()).meta({ description: "Alias to absolute path" }),
  custom_tools: z.array(z.string()),
  mcp: z.array(z.string()),
  skills: z.array(z.string()),
  agents: z.array(z.string()),
  confirm: z.array(z.string()).meta({ description: "Tools that effectively need confirmation" }),
  mcp_confirm: z.enum(MCP_CONFIRM).meta({
    description: "Which tools of MCP servers need confirmation, too",
  }),
  auto_approve: z.union([z.array(z.string()), z.literal("*")]),
  on_pending: z.enum(ON_PENDING),
  confirm_timeout: z.string().meta({ description: "A duration such as `5m`, or `none`" }),
  budget: z.object({
    ...{
      per_day: dollars,
      per_month: dollars,
      tree: dollars,
      timezone: z.string().nullable().meta({ description: "Null: the machine's" }),
    } satisfies Record<keyof typeof DOLLAR_BUDGET, z.ZodType>,
    tokens: z.object(
      { per_day: tokens, per_month: tokens, tree: tokens } satisfies Record<
        keyof typeof TOKEN_BUDGET,
        z.ZodType
      >,
    ),
  }).meta({ description: "US dollars; null: no limit" }),
  on_budget: z.enum(ON_BUDGET),
  unpriced: z.enum(UNPRICED),
  max_concurrent_runs: z.int().nullable(),
  nodes: z.array(z.string()).meta({ description: "Labels that a node must have to run it" }),
  output_schema: z.unknown().meta({ description: "Of its answers, or the file; null: none" }),
  trigger: TriggerBody,
  source_path: z.string(),
  warnings: z.array(DiagnosticBody),
  last_execution: ExecutionSummary.nullable(),
  max_failures: z.int().nullable().meta({
    description: "How many failures in a row pause its trigger; null: no limit",
  }),
  passed_over: PassedOver.nullable().meta({
    description: "The last change that did not fire, because the file's content was the same",
  }),
}).meta({ id: "AgentDetail" });
export type AgentDetail = z.infer<typeof AgentDetail>;

/** An agent of a list by the names of the wire. */
export function toAgentSummary(
  { agent, lastExecution: last, heldBecause, ...listing }: AgentListing,
  lastDay?: Outcomes,
): Source<typeof AgentSummary> {
  const { trigger } = agent;
  const schedule = trigger.type === "schedule" ? trigger : undefined;
  return {
    ...agent,
    ...listing,
    name: agent.displayName,
    triggerType: trigger.type,
    modelProvider: agent.model?.provider,
    modelName: agent.model?.name,
    triggerEvery: schedule?.every,
    triggerCron: schedule?.cron,
    triggerPaths: trigger.type === "watch" ? trigger.paths : [],
    triggerScheme: trigger.type === "webhook" ? trigger.scheme : null,
    after: agent.after.map(({ agentId }) => agentId),
    lastRun: last?.startedAt,
    lastStatus: last?.status,
    lastExecutionId: last?.id,
    waitsForLabels: last?.waitsForLabels,
    triggerHeld: heldBecause,
    lastDay,
  };
}

/** An agent with its whole configuration by the names of the wire. */
export function toAgentDetail(listing: AgentListing): Source<typeof AgentDetail> {
  const { agent, lastExecution, passedOver } = listing;
  return {
    ...agent,
    ...toAgentSummary(listing),
    paths: Object.fromEntries(agent.paths.map(({ alias, path }) => [alias, path])),
    confirm: agent.confirmTools,
    confirmTimeout: agent.confirmTimeoutMs === null
      ? "none"
      : writeDuration(agent.confirmTimeoutMs),
    budget: { ...agent.budget, timezone: agent.budget.timezone },
    outputSchema: Object.values(agent.output ?? { schema: null })[0],
    trigger: toTrigger(agent.trigger),
    warnings: agent.warnings.map(toDiagnostic),
    lastExecution: lastExecution && toExecution(lastExecution),
    passedOver,
  };
}

/** A problem in a file by the names of the wire. */
export function toDiagnostic(diagnostic: Diagnostic): Source<typeof DiagnosticBody> {
  return { ...diagnostic, hint: diagnostic.hint };
}
