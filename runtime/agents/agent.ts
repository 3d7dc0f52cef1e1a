// What an agent is once its file is read and the defaults of config.yaml are applied. Immutable.
import type { Diagnostic } from "../../base/diagnostics.ts";
import {
  AGENT_POLICY,
  type AgentBudget,
  type AgentPolicy,
  DOLLAR_BUDGET,
  type McpConfirm,
  overDefaults,
  RUN_SETTINGS,
  type RunSettings,
  TOKEN_BUDGET,
} from "../config/agent_settings.ts";
import type { AgentDefaults } from "../config/config.ts";
import { type ModelSettings, toModel } from "../config/providers.ts";
import { fnv1a } from "../config/fnv1a.ts";
import type { NotifyChoice } from "../config/notify_schema.ts";
import { isEveryTool, readMcpEntries } from "../tool_vocabulary.ts";
import {
  type FollowedEnd,
  type SignatureEncoding,
  type TokenPlace,
  WEBHOOK_HANDSHAKES,
  type WebhookHandshake,
  type WebhookScheme,
} from "../trigger_kinds.ts";
import type { Definition } from "./definition.ts";
import { normalizeId } from "./agent_id.ts";
import { iconOf } from "./icon.ts";
import type { AgentOutput } from "./output_schema.ts";

export type { ModelSettings } from "../config/providers.ts";

/** Nothing but a person, a program or another agent starts it. `input` replaces the user turn, here and below. */
export interface ManualTrigger {
  type: "manual";
  input?: string;
}

/** It starts at times. */
export interface ScheduleTrigger {
  type: "schedule";
  /** Exactly one of `every` and `cron` is set. The text as written; it parses. */
  every?: string;
  cron?: string;
  /** IANA zone of `cron`; absent: the machine's. */
  timezone?: string;
  catchUp: "once" | "none";
  input?: string;
}

/** It starts when files change. */
export interface WatchTrigger {
  type: "watch";
  paths: string[];
  filters: { include: string[]; exclude: string[] };
  debounceMs: number;
  /** So many runs begin within ten minutes, at most; with one more the trigger is stopped. */
  maxRuns: number;
  catchUp: "once" | "none";
  /** A file that is written again with the same content fires, too. */
  sameContent?: true;
  input?: string;
}

/** It starts when somebody sends a delivery that shows who made it. */
export interface WebhookTrigger {
  type: "webhook";
  scheme: WebhookScheme;
  /** The variables that hold the secrets: a delivery may be signed with any of them. */
  secrets: string[];
  /** Where the signature or the token stands, for hmac and token; absent: the scheme's own place. */
  header?: string;
  encoding: SignatureEncoding;
  /** The part of the request that has the token; absent: a header. */
  in?: TokenPlace;
  /** The answer to a sender's trial of the address; absent: none. */
  handshake?: WebhookHandshake;
  /** The variable with the token that Meta sends to try the address; absent: one of the secrets. */
  verifyToken?: string;
  filter: {
    /** Patterns, of which the event must match one; empty: any event. */
    events: string[];
    /** By JSON pointer: what must stand there, a text as a pattern. */
    fields: Record<string, string | number | boolean | null>;
  };
  /** So many runs begin within ten minutes, at most; with one more the trigger is stopped. */
  maxRuns: number;
  /** How long the sender waits for the answer; absent: it does not. */
  syncMs?: number;
  /** For how long an equal body without an id is the same delivery; absent: a minute. */
  dedupeMs?: number;
  input?: string;
}

/** The variables that hold secrets of a trigger. */
export function secretVariables(trigger: Trigger): string[] {
  return trigger.type === "webhook" ? [trigger.secrets, trigger.verifyToken ?? []].flat() : [];
}

/** What starts an agent. */
export type Trigger = ManualTrigger | ScheduleTrigger | WatchTrigger | WebhookTrigger;

/** Another agent, the ends of whose executions start this one. */
export interface Followed {
  agentId: string;
  on: FollowedEnd;
}

/** A path the agent may reach, under the name its prompt and tools use. */
export interface AgentPath {
  alias: string;
  /** Absolute, `~` expanded, not yet resolved through symlinks. */
  path: string;
  description?: string;
}

/** One agent, complete. */
export interface Agent extends Omit<AgentPolicy, "confirmTimeout"> {
  /** The stem of its file name. */
  id: string;
  displayName: string;
  description: string;
  icon: string;
  /** Undefined when neither the file nor config.yaml names a model. */
  model: ModelSettings | undefined;
  trigger: Trigger;
  after: Followed[];
  /** After so many failures in a row its trigger, and `after`, pause; null: they never do. */
  maxFailures: number | null;
  settings: RunSettings;
  budget: AgentBudget;
  maxConcurrentRuns: number | null;
  /** Labels that a node must have to run it, all of them. */
  nodes: readonly string[];
  /** The hosts on which its trigger fires; absent: any. */
  onlyOn?: readonly string[];
  customTools: string[];
  mcp: string[];
  /** By server, patterns of the tools that it has of it; of a server that is not here it has all. */
  mcpTools?: Readonly<Record<string, readonly string[]>>;
  skills: string[];
  agents: string[];
  /** Declared paths; empty: the workspace root. */
  paths: AgentPath[];
  /** The effective set of guarded tools: defaults and `confirm`, less `auto_approve`. */
  confirmTools: string[];
  /** What `auto_approve` took out of that: a tool that has it only as another name stays guarded. */
  freedGuards: string[];
  /** Which tools of MCP servers are guarded, too. */
  mcpConfirm: McpConfirm;
  /** As declared; `"*"` frees every tool. */
  autoApprove: string[] | "*";
  /** Null waits for ever. */
  confirmTimeoutMs: number | null;
  /** Which messages about it go where; what it leaves out is config.yaml's. */
  notify: NotifyChoice;
  /** What its answer has to fit; absent: it may be any text. */
  output?: AgentOutput;
  enabled: boolean;
  /** The task, without substitutions. */
  body: string;
  sourcePath: string;
  /** What is odd about the file without making it unusable. */
  warnings: Diagnostic[];
}

/** The agent that a definition, whose rules hold, describes. */
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
  const { confirmTimeout, ...policy } = overDefaults(AGENT_POLICY, definition, defaults);
  return {
    ...own,
    displayName: definition.name ?? own.id,
    description: definition.description?.trim() ?? "",
    icon: definition.icon ?? iconOf(own.id),
    model: toModel(definition.model, defaults),
    trigger: toTrigger(definition.trigger),
    after: toFollowed(definition.after ?? []),
    maxFailures: definition.trigger.max_failures,
    settings: overDefaults(RUN_SETTINGS, definition.settings, defaults),
    ...(definition.retry && { retry: definition.retry }),
    budget: {
      ...overDefaults(DOLLAR_BUDGET, definition.budget, defaults.budget),
      tokens: overDefaults(TOKEN_BUDGET, definition.budget.tokens, defaults.budget.tokens),
    },
    maxConcurrentRuns: definition.max_concurrent_runs,
    nodes: unique(definition.nodes ?? []),
    ...(definition.only_on == null ? {} : { onlyOn: unique(definition.only_on) }),
    customTools: unique(definition.custom_tools ?? definition.tools ?? []),
    ...readMcpEntries(definition.mcp ?? []),
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
  // A blank template replaces nothing.
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
  // A rule refuses a webhook without one.
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

/** A digest of everything that an agent's file and its defaults say: another print, another definition. */
export function agentPrint(agent: Agent): string {
  // Warnings come and go without an edit.
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
