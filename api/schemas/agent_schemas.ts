// The schemas of agents, with the conversions from the runtime's values.
import { z } from "zod";
import {
  AGENT_DURATIONS,
  AGENT_POLICY,
  DOLLAR_BUDGET,
  MCP_CONFIRM,
  OWN_POLICY,
  RETRY,
  RUN_SETTINGS,
  TOKEN_BUDGET,
  writeDurations,
} from "../../runtime/config/agent_settings.ts";
import { sourceOf, TRIGGER_TYPES } from "../../runtime/vocabulary/trigger_kinds.ts";
import { writeDuration } from "../../base/durations.ts";
import type { AgentListing, Outcomes } from "../../runtime/interface/runtime.ts";
import type { Source } from "./wire.ts";
import { DiagnosticBody, toDiagnostic } from "./diagnostic_schemas.ts";
import { executionStatus, ExecutionSummary, toExecution, toRest } from "./execution_schemas.ts";
import { durationFields, parsedFields } from "./setting_fields.ts";
import { toTrigger, TriggerBody } from "./trigger_schemas.ts";
import { triggerNotes } from "./scheduler_schemas.ts";
import { count, id, timestamp, webhookScheme } from "./wire_values.ts";

/** The summary of an agent. */
export const AgentSummary = z.object({
  id: z.string(),
  display_name: z.string(),
  name: z.string().meta({ description: "The same as display_name" }),
  description: z.string(),
  icon: z.string(),
  icon_set: z.boolean().meta({ description: "False if the icon was derived from the id" }),
  enabled: z.boolean(),
  expose: z.literal(true).optional().meta({
    description: "Present only if programs that speak MCP or OpenAI's protocol see the agent",
  }),
  trigger_type: z.enum(TRIGGER_TYPES).meta({ id: "TriggerType" }),
  model_provider: z.string().nullable(),
  model_name: z.string().nullable(),
  trigger_every: z.string().nullable(),
  trigger_cron: z.string().nullable(),
  trigger_paths: z.array(z.string()),
  trigger_scheme: webhookScheme.nullable().meta({
    description: "The signature scheme of its webhook; null without a webhook",
  }),
  trigger_source: z.string().nullable().meta({
    description: "The address or command that its trigger checks; null for other triggers",
  }),
  after: z.array(z.string()).meta({ description: "The agents that it runs after" }),
  last_run: timestamp.nullable(),
  last_status: executionStatus.nullable(),
  last_execution_id: id.nullable(),
  waits_for_labels: ExecutionSummary.shape.waits_for_labels,
  rests_until: ExecutionSummary.shape.rests_until,
  rests_for: ExecutionSummary.shape.rests_for,
  next_run: timestamp.nullable(),
  trigger_paused: z.string().nullable().meta({
    description:
      "The reason why its trigger is stopped although the scheduler runs; otherwise null",
  }),
  ...triggerNotes,
  last_day: z.object({ ended: count, succeeded: count }).optional().meta({
    description:
      "With `day=true`: the numbers of executions that ended, and that succeeded, in the last 24 hours",
  }),
}).meta({ id: "Agent" });
export type AgentSummary = z.infer<typeof AgentSummary>;

/** The last mail that matched the filters of a trigger and started no run. */
const PassedMail = z.object({
  ...{ from: z.string(), subject: z.string(), at: timestamp },
  reason: z.string().meta({ description: "The reason why it started no run" }),
}).meta({ id: "PassedMail" });
/** The last file change that started no run because the file's content was the same, and the number of such changes. */
const PassedOver = z.object({ path: z.string(), at: timestamp, count }).meta({ id: "PassedOver" });

/** The shell of an agent. */
const ShellBody = z.object(
  {
    allow: z.array(z.string()).meta({ description: "The commands that need no approval" }),
    deny: z.array(z.string()).meta({ description: "The refused commands" }),
    net: z.array(z.string()).meta({ description: "The hosts that commands may reach" }),
    env: z.array(z.string()).meta({
      description: "The names of the environment variables that commands get",
    }),
    timeout: z.string().meta({ description: "The maximum time of one command, such as `2m`" }),
  } satisfies Record<
    Exclude<keyof NonNullable<AgentListing["agent"]["shell"]>, "timeoutMs"> | "timeout",
    z.ZodType
  >,
).meta({ id: "Shell" });

/** The mail account of an agent. */
const MailUseBody = z.object({
  account: z.string(),
  to: z.array(z.string()).nullable().meta({ description: "Null: it may send to everybody" }),
}).meta({ id: "MailUse" });

/** The messages about an agent. */
const NotifyBody = z.object(
  {
    on: z.array(z.string()).nullable().meta({ description: "The kinds of messages" }),
    to: z.array(z.string()).nullable().meta({ description: "The channels" }),
  } satisfies Record<keyof AgentListing["agent"]["notify"], z.ZodType>,
).meta({ id: "Notify" });

/** The retries of runs whose model could not be reached. */
const RetryBody = z.object({
  ...parsedFields(RETRY),
  wait: z.string().nullable().meta({ description: "A duration; null for the default" }),
}).meta({ id: "Retry" });

/** An agent with its complete configuration. */
export const AgentDetail = AgentSummary.extend({
  settings: z.object(parsedFields(RUN_SETTINGS)).meta({
    description: "With all defaults; null for `none`",
  }),
  paths: z.record(z.string(), z.string()).meta({
    description: "The absolute paths by alias; `editor` for the folder of an editor",
  }),
  custom_tools: z.array(z.string()),
  mcp: z.array(z.string()),
  skills: z.array(z.string()),
  agents: z.array(z.string()),
  shell: ShellBody.nullable().meta({ description: "Null if it has no shell" }),
  mail: MailUseBody.nullable().meta({
    description: "The account of the mail tools; null if it has none",
  }),
  confirm: z.array(z.string()).meta({ description: "The tools that need approval" }),
  mcp_confirm: z.enum(MCP_CONFIRM).meta({
    description: "The tools of MCP servers that also need approval",
  }),
  auto_approve: z.union([z.array(z.string()), z.literal("*")]),
  ...parsedFields(AGENT_POLICY),
  ...durationFields(AGENT_DURATIONS),
  ...parsedFields(OWN_POLICY),
  budget: z.object({
    ...parsedFields(DOLLAR_BUDGET),
    tokens: z.object(parsedFields(TOKEN_BUDGET)),
  }).meta({ description: "In US dollars; null for no limit, and for the machine's time zone" }),
  retry: RetryBody.nullable().meta({
    description: "Null for the default, by which runs of a trigger are retried",
  }),
  notify: NotifyBody.meta({ description: "The messages about it; null: as in config.yaml" }),
  output_schema: z.unknown().meta({
    description: "The schema of its answers, or the schema's file; null for none",
  }),
  trigger: TriggerBody,
  source_path: z.string(),
  warnings: z.array(DiagnosticBody),
  last_execution: ExecutionSummary.nullable(),
  max_failures: z.int().nullable().meta({
    description: "Number of consecutive failures that stop its trigger; null for no limit",
  }),
  passed_mail: PassedMail.nullable().meta({
    description: "The last mail that matched the filters of its trigger and started no run",
  }),
  passed_over: PassedOver.nullable().meta({
    description: "The last change that started no run, because the file's content was the same",
  }),
}).meta({ id: "AgentDetail" });
export type AgentDetail = z.infer<typeof AgentDetail>;

/** Converts an agent to a source from which toWire() makes its summary. */
export function toAgentSummary(
  { agent, lastExecution: last, inactiveReason, ...listing }: AgentListing,
  lastDay?: Outcomes,
): Source<typeof AgentSummary> {
  const { trigger } = agent;
  const schedule = trigger.type === "schedule" ? trigger : undefined;
  return {
    ...agent,
    ...listing,
    name: agent.displayName,
    iconSet: agent.isIconSet,
    triggerType: trigger.type,
    modelProvider: agent.model?.provider,
    modelName: agent.model?.name,
    triggerEvery: trigger.type === "change" ? trigger.every : schedule?.every,
    triggerCron: schedule?.cron,
    triggerPaths: trigger.type === "watch" ? trigger.paths : [],
    triggerScheme: trigger.type === "webhook" ? trigger.scheme : null,
    triggerSource: sourceOf(trigger),
    after: agent.after.map(({ agentId }) => agentId),
    lastRun: last?.startedAt,
    lastStatus: last?.status,
    lastExecutionId: last?.id,
    waitsForLabels: last?.waitsForLabels,
    ...(last && toRest(last)),
    triggerHeld: inactiveReason,
    lastDay,
  };
}

/** Converts an agent to a source from which toWire() makes its complete configuration. */
export function toAgentDetail(listing: AgentListing): Source<typeof AgentDetail> {
  const { agent, lastExecution, passedOver, passedMail } = listing;
  const { retry } = agent;
  return {
    ...agent,
    ...toAgentSummary(listing),
    // After the summary, which contains the agent's own values, too.
    ...writeDurations(agent),
    paths: Object.fromEntries([
      ...agent.paths.map(({ alias, path }) => [alias, path]),
      ...(agent.editorPaths ?? []).map(({ alias }) => [alias, "editor"]),
    ]),
    shell: agent.shell && { ...agent.shell, timeout: writeDuration(agent.shell.timeoutMs) },
    mail: agent.mail && { account: agent.mail.account, to: agent.mail.to },
    confirm: agent.confirmTools,
    budget: { ...agent.budget, timezone: agent.budget.timezone },
    retry: retry && { ...retry, wait: retry.wait === undefined ? null : writeDuration(retry.wait) },
    notify: { on: agent.notify.on, to: agent.notify.to },
    outputSchema: Object.values(agent.output ?? { schema: null })[0],
    trigger: toTrigger(agent.trigger),
    warnings: agent.warnings.map(toDiagnostic),
    lastExecution: lastExecution && toExecution(lastExecution),
    passedOver,
    passedMail,
  };
}
