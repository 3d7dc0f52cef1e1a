// What an agent is once its file is read and the defaults of config.yaml are applied. Immutable.
import type { Diagnostic } from "../../base/diagnostics.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import type { AgentDefaults } from "../config/config.ts";
import { isEveryTool } from "../tool_names.ts";
import {
  AGENT_BUILT_IN,
  type Definition,
  type HistoryLevel,
  type OnPending,
  type OnRestart,
} from "./definition.ts";
import { iconOf } from "./icon.ts";

/** Which model, and how to reach it. */
export interface ModelSettings {
  provider: string;
  name: string;
  baseUrl?: string;
  /** The variable that holds the key, when it is not `<PROVIDER>_API_KEY`. */
  apiKeyEnv?: string;
  streamUsage: boolean;
}

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
  input?: string;
}

/** What starts an agent. */
export type Trigger = ManualTrigger | ScheduleTrigger | WatchTrigger;

/** Numbers that bound a run. `null` switches the limit off. */
export interface RunSettings {
  temperature: number;
  /** Tokens of one reply. */
  maxTokens: number;
  /** Seconds to wait for one model reply. */
  timeout: number;
  maxToolCalls: number | null;
  maxExecutionTokens: number | null;
  maxCostUsd: number | null;
  loopDetection: boolean;
}

/** A path the agent may reach, under the name its prompt and tools use. */
export interface AgentPath {
  alias: string;
  /** Absolute, `~` expanded, not yet resolved through symlinks. */
  path: string;
  description?: string;
}

/** One agent, complete. */
export interface Agent {
  /** The stem of its file name. */
  id: string;
  displayName: string;
  description: string;
  icon: string;
  /** Undefined when neither the file nor config.yaml names a model. */
  model: ModelSettings | undefined;
  trigger: Trigger;
  settings: RunSettings;
  customTools: string[];
  mcp: string[];
  skills: string[];
  agents: string[];
  /** Declared paths; empty: the workspace root. */
  paths: AgentPath[];
  history: HistoryLevel;
  /** The effective set of guarded tools: defaults and `confirm`, less `auto_approve`. */
  confirmTools: string[];
  /** What `auto_approve` took out of that: a tool that has it only as another name stays guarded. */
  freedGuards: string[];
  /** As declared; `"*"` frees every tool. */
  autoApprove: string[] | "*";
  onPending: OnPending;
  /** Null waits for ever. */
  confirmTimeoutMs: number | null;
  onRestart: OnRestart;
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
  const { id, defaults } = source;
  const autoApprove = toAutoApprove(definition.auto_approve);
  return {
    id,
    displayName: definition.name ?? id,
    description: definition.description?.trim() ?? "",
    icon: definition.icon ?? iconOf(id),
    model: toModel(definition.model, defaults),
    trigger: toTrigger(definition.trigger),
    settings: toSettings(definition.settings, defaults),
    customTools: unique(definition.custom_tools ?? definition.tools ?? []),
    mcp: unique(definition.mcp ?? []),
    skills: unique(definition.skills ?? []),
    agents: unique(definition.agents ?? []),
    paths: source.paths,
    history: definition.history ?? defaults.history,
    ...toGuards([...defaults.confirmTools, ...definition.confirm ?? []], autoApprove),
    autoApprove,
    onPending: definition.on_pending ?? defaults.onPending,
    confirmTimeoutMs: toConfirmTimeout(definition.confirm_timeout, defaults),
    onRestart: definition.on_restart ?? defaults.onRestart,
    enabled: definition.enabled ?? AGENT_BUILT_IN.enabled,
    body: withoutBlankEdges(source.body),
    sourcePath: source.sourcePath,
    warnings: source.warnings,
  };
}

function toModel(model: Definition["model"], defaults: AgentDefaults): ModelSettings | undefined {
  if (model == null) {
    const { provider, model: name, baseUrl } = defaults;
    if (provider === undefined || name === undefined) return undefined;
    return {
      provider,
      name,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      streamUsage: AGENT_BUILT_IN.stream_usage,
    };
  }
  const ofProvider = model.provider === defaults.provider ? defaults.baseUrl : undefined;
  const baseUrl = model.base_url ?? model.url ?? ofProvider;
  return {
    provider: model.provider,
    name: model.name,
    ...(baseUrl == null ? {} : { baseUrl }),
    ...(model.api_key_env == null ? {} : { apiKeyEnv: model.api_key_env }),
    streamUsage: model.stream_usage ?? AGENT_BUILT_IN.stream_usage,
  };
}

function toTrigger(trigger: Definition["trigger"]): Trigger {
  const type = trigger?.type ?? AGENT_BUILT_IN.trigger_type;
  // A blank template replaces nothing.
  const input = trigger?.input?.trim() ? { input: trigger.input } : {};
  const catchUp = trigger?.catch_up ?? AGENT_BUILT_IN.catch_up;
  switch (type) {
    case "manual":
      return { type, ...input };
    case "schedule":
      return {
        type,
        ...(trigger?.every == null ? {} : { every: trigger.every }),
        ...(trigger?.cron == null ? {} : { cron: trigger.cron.trim() }),
        ...(trigger?.timezone == null || trigger.cron == null
          ? {}
          : { timezone: trigger.timezone }),
        catchUp,
        ...input,
      };
    case "watch":
      return {
        type,
        paths: unique(trigger?.paths ?? []),
        filters: {
          include: trigger?.filters?.include ?? [],
          exclude: trigger?.filters?.exclude ?? [],
        },
        debounceMs: trigger?.debounce ?? AGENT_BUILT_IN.debounce * SECOND_MS,
        maxRuns: trigger?.max_runs ?? AGENT_BUILT_IN.max_runs,
        catchUp,
        ...input,
      };
  }
  return type satisfies never;
}

function toSettings(settings: Definition["settings"], defaults: AgentDefaults): RunSettings {
  const { temperature, max_tokens, timeout, loop_detection } = settings ?? {};
  // Null says something in these three: no limit.
  const { max_tool_calls, max_execution_tokens, max_cost_usd } = settings ?? {};
  return {
    temperature: temperature ?? defaults.temperature,
    maxTokens: max_tokens ?? defaults.maxTokens,
    timeout: timeout ?? defaults.timeout,
    maxToolCalls: max_tool_calls === undefined ? defaults.maxToolCalls : max_tool_calls,
    maxExecutionTokens: max_execution_tokens === undefined
      ? defaults.maxExecutionTokens
      : max_execution_tokens,
    maxCostUsd: max_cost_usd === undefined ? defaults.maxCostUsd : max_cost_usd,
    loopDetection: loop_detection ?? defaults.loopDetection,
  };
}

function toConfirmTimeout(
  written: Definition["confirm_timeout"],
  { confirmTimeoutMs }: AgentDefaults,
): number | null {
  if (written == null) return confirmTimeoutMs;
  return written === "none" ? null : written;
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

function withoutBlankEdges(body: string): string {
  return body.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
