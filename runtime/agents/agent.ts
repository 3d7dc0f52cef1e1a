// The parsed agent: its file with the defaults of config.yaml applied. Immutable.
import type { Diagnostic } from "../../base/diagnostics.ts";
import {
  AGENT_POLICY,
  type AgentBudget,
  type AgentPolicy,
  DOLLAR_BUDGET,
  type McpConfirm,
  RUN_SETTINGS,
  type RunSettings,
  TOKEN_BUDGET,
  withConfigDefaults,
} from "../config/agent_settings.ts";
import type { AgentDefaults } from "../config/config.ts";
import { type ModelSettings, toModel } from "../config/providers.ts";
import { fnv1a } from "../config/fnv1a.ts";
import type { NotifyChoice } from "../config/notify_schema.ts";
import { isEveryTool, parseMcpEntries } from "../vocabulary/tool_vocabulary.ts";
import {
  type FollowedEnd,
  type SignatureEncoding,
  type TokenPlace,
  WEBHOOK_HANDSHAKES,
  type WebhookHandshake,
  type WebhookScheme,
} from "../vocabulary/trigger_kinds.ts";
import type { Definition } from "./definition.ts";
import { normalizeId } from "./agent_id.ts";
import { iconOf } from "./icon.ts";
import type { AgentOutput } from "./output_schema.ts";

export type { ModelSettings } from "../config/providers.ts";

/** No trigger. In every trigger, `input` replaces the user message. */
export interface ManualTrigger {
  type: "manual";
  input?: string;
}

/** Starts the agent at fixed times. */
export interface ScheduleTrigger {
  type: "schedule";
  /** Exactly one of `every` and `cron` is set. Both hold the text as written; it is valid. */
  every?: string;
  cron?: string;
  /** The IANA time zone of `cron`; absent: the machine's. */
  timezone?: string;
  catchUp: "once" | "none";
  input?: string;
}

/** Starts the agent when files change. */
export interface WatchTrigger {
  type: "watch";
  paths: string[];
  filters: { include: string[]; exclude: string[] };
  debounceMs: number;
  /** The maximum number of runs that start within ten minutes; one more stops the trigger. */
  maxRuns: number;
  catchUp: "once" | "none";
  /** Set: a file that is written again with the same content also starts a run. */
  sameContent?: true;
  input?: string;
}

/** Starts the agent when an authenticated HTTP delivery arrives. */
export interface WebhookTrigger {
  type: "webhook";
  scheme: WebhookScheme;
  /** The names of the variables that hold the secrets. A delivery may be signed with any of them. */
  secrets: string[];
  /** The header with the signature or the token, for hmac and token; absent: the scheme's own header. */
  header?: string;
  encoding: SignatureEncoding;
  /** The part of the request that holds the token; absent: a header. */
  in?: TokenPlace;
  /** The sender that gets its verification request answered; absent: none. */
  handshake?: WebhookHandshake;
  /** The variable with the token that Meta sends to verify the address; absent: one of the secrets. */
  verifyToken?: string;
  filter: {
    /** Patterns for the event's name, of which one must match; empty: any event. */
    events: string[];
    /** The required value at each JSON pointer of the body; a text is a pattern. */
    fields: Record<string, string | number | boolean | null>;
  };
  /** The maximum number of runs that start within ten minutes; one more stops the trigger. */
  maxRuns: number;
  /** The time that the sender waits for the answer; absent: the sender does not wait. */
  syncMs?: number;
  /** The time in which an equal body without an id is the same delivery; absent: a minute. */
  dedupeMs?: number;
  input?: string;
}

/** Returns the names of the variables that hold a trigger's secrets. */
export function secretVariables(trigger: Trigger): string[] {
  return trigger.type === "webhook" ? [trigger.secrets, trigger.verifyToken ?? []].flat() : [];
}

/** The part of an agent that starts it. */
export type Trigger = ManualTrigger | ScheduleTrigger | WatchTrigger | WebhookTrigger;

/** Another agent that starts this one when its executions end. */
export interface Followed {
  agentId: string;
  on: FollowedEnd;
}

/** A path that the agent may access, under the name that its prompt and tools use. */
export interface AgentPath {
  alias: string;
  /** Absolute, with `~` expanded; symlinks are not resolved. */
  path: string;
  description?: string;
}

/** An agent with all its settings. */
export interface Agent extends Omit<AgentPolicy, "confirmTimeout"> {
  /** The stem of the agent file's name. */
  id: string;
  displayName: string;
  description: string;
  icon: string;
  /** Undefined when neither the file nor config.yaml names a model. */
  model: ModelSettings | undefined;
  trigger: Trigger;
  after: Followed[];
  /** The number of consecutive failures that pause its trigger and `after`; null: no number does. */
  maxFailures: number | null;
  settings: RunSettings;
  budget: AgentBudget;
  maxConcurrentRuns: number | null;
  /** Labels of nodes. Only a node with all of them may run the agent. */
  nodes: readonly string[];
  /** The hosts on which its trigger fires; absent: any. */
  onlyOn?: readonly string[];
  customTools: string[];
  mcp: string[];
  /** By server, the patterns of the tools that the agent may use. A server without an entry offers all its tools. */
  mcpTools?: Readonly<Record<string, readonly string[]>>;
  skills: string[];
  agents: string[];
  /** The declared paths; empty: the workspace root. */
  paths: AgentPath[];
  /** The guarded tools: the defaults and `confirm`, without `auto_approve`. */
  confirmTools: string[];
  /** The guards that `auto_approve` removed. A tool that only has this as another name stays guarded. */
  freedGuards: string[];
  /** The additional guard of tools from MCP servers. */
  mcpConfirm: McpConfirm;
  /** As declared; `"*"` frees every tool. */
  autoApprove: string[] | "*";
  /** Null waits forever. */
  confirmTimeoutMs: number | null;
  /** The agent's notification settings; config.yaml supplies the missing ones. */
  notify: NotifyChoice;
  /** The schema of its answer; absent: the answer may be any text. */
  output?: AgentOutput;
  enabled: boolean;
  /** The task, before substitutions. */
  body: string;
  sourcePath: string;
  /** Problems of the file that do not keep the agent from running. */
  warnings: Diagnostic[];
}

/** Builds the agent from a definition that passed all rules. */
export function toAgent(
  definition: Definition,
  source: {
    id: string;
    paths: AgentPath[];
    body: string;
    sourcePath: string;
    defaults: AgentDefaults;
    warnings: Diagnostic[];
  },
): Agent {
  const { defaults, ...own } = source;
  const autoApprove = toAutoApprove(definition.auto_approve);
  const { confirmTimeout, ...policy } = withConfigDefaults(AGENT_POLICY, definition, defaults);
  return {
    ...own,
    displayName: definition.name ?? own.id,
    description: definition.description?.trim() ?? "",
    icon: definition.icon ?? iconOf(own.id),
    model: toModel(definition.model, defaults),
    trigger: toTrigger(definition.trigger),
    after: toFollowed(definition.after ?? []),
    maxFailures: definition.trigger.max_failures,
    settings: withConfigDefaults(RUN_SETTINGS, definition.settings, defaults),
    ...(definition.retry && { retry: definition.retry }),
    budget: {
      ...withConfigDefaults(DOLLAR_BUDGET, definition.budget, defaults.budget),
      tokens: withConfigDefaults(TOKEN_BUDGET, definition.budget.tokens, defaults.budget.tokens),
    },
    maxConcurrentRuns: definition.max_concurrent_runs,
    nodes: unique(definition.nodes ?? []),
    ...(definition.only_on == null ? {} : { onlyOn: unique(definition.only_on) }),
    customTools: unique(definition.custom_tools ?? definition.tools ?? []),
    ...parseMcpEntries(definition.mcp ?? []),
    skills: unique(definition.skills ?? []),
    agents: unique(definition.agents ?? []),
    ...policy,
    ...toGuards([...defaults.confirmTools, ...definition.confirm ?? []], autoApprove),
    mcpConfirm: defaults.mcpConfirm ?? "none",
    autoApprove,
    confirmTimeoutMs: confirmTimeout,
    notify: definition.notify,
    enabled: definition.enabled,
  };
}

function toFollowed(written: NonNullable<Definition["after"]>): Followed[] {
  return written.map((one) => {
    const { agent, on } = typeof one === "string" ? { agent: one, on: "success" as const } : one;
    return { agentId: normalizeId(agent), on };
  });
}

function toTrigger(trigger: Definition["trigger"]): Trigger {
  // A blank input replaces nothing.
  const input = trigger.input?.trim() ? { input: trigger.input } : {};
  const { type, catch_up: catchUp } = trigger;
  switch (type) {
    case "manual":
      return { type, ...input };
    case "schedule":
      return {
        type,
        ...(trigger.every == null ? {} : { every: trigger.every }),
        ...(trigger.cron == null ? {} : { cron: trigger.cron.trim() }),
        ...(trigger.timezone == null || trigger.cron == null ? {} : { timezone: trigger.timezone }),
        catchUp,
        ...input,
      };
    case "watch":
      return {
        type,
        paths: unique(trigger.paths ?? []),
        filters: trigger.filters,
        debounceMs: trigger.debounce,
        maxRuns: trigger.max_runs,
        catchUp,
        ...(trigger.same_content && { sameContent: true }),
        ...input,
      };
    case "webhook":
      return { ...toWebhookTrigger(trigger), ...input };
  }
  return type satisfies never;
}

function toWebhookTrigger(trigger: Definition["trigger"]): WebhookTrigger {
  const { scheme, header, encoding, filter, sync, dedupe, verify_token: verifyToken } = trigger;
  // The rules refuse a webhook without a scheme.
  if (scheme == null) throw new TypeError("A webhook has no scheme");
  const handshake = trigger.handshake ?? WEBHOOK_HANDSHAKES.find((one) => one === scheme);
  return {
    type: "webhook",
    scheme,
    secrets: unique(trigger.secret ?? []),
    ...(header == null ? {} : { header }),
    encoding,
    ...(trigger.in == null ? {} : { in: trigger.in }),
    ...(handshake === undefined ? {} : { handshake }),
    ...(verifyToken == null ? {} : { verifyToken }),
    filter: { events: filter.events, fields: filter.fields ?? {} },
    maxRuns: trigger.max_runs,
    ...(sync == null ? {} : { syncMs: sync }),
    ...(dedupe == null ? {} : { dedupeMs: dedupe }),
  };
}

/** Returns a digest of the agent's file and defaults. It changes when the definition changes. */
export function agentDigest(agent: Agent): string {
  // Warnings can change without an edit.
  return fnv1a(JSON.stringify({ ...agent, warnings: [] })).toString(36);
}

function toAutoApprove(written: Definition["auto_approve"]): string[] | "*" {
  const list = typeof written === "string" ? [written] : written ?? [];
  return list.some(isEveryTool) ? "*" : unique(list);
}

function toGuards(
  names: readonly string[],
  autoApprove: readonly string[] | "*",
): Pick<Agent, "confirmTools" | "freedGuards"> {
  if (autoApprove === "*") return { confirmTools: [], freedGuards: [] };
  if (names.some(isEveryTool)) return { confirmTools: ["*"], freedGuards: [] };
  const guards = unique(names);
  return {
    confirmTools: guards.filter((name) => !autoApprove.includes(name)),
    freedGuards: guards.filter((name) => autoApprove.includes(name)),
  };
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];
