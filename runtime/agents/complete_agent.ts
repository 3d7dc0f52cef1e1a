// A checked definition to a complete agent: synonyms joined, defaults applied, derived values computed.
import type { AgentDefaults } from "../config/config.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isEveryTool } from "../tool_names.ts";
import type { Agent, AgentPath, ModelSettings, RunSettings, Trigger } from "./agent.ts";
import type { Definition } from "./definition.ts";
import { iconOf } from "./icon.ts";

const DEFAULT_DEBOUNCE_MS = 500;
const DEFAULT_MAX_RUNS = 200;

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
    enabled: definition.enabled ?? true,
    body: withoutBlankEdges(source.body),
    sourcePath: source.sourcePath,
    warnings: source.warnings,
  };
}

function toModel(model: Definition["model"], defaults: AgentDefaults): ModelSettings | undefined {
  if (model == null) {
    const { provider, model: name, baseUrl } = defaults;
    if (provider === undefined || name === undefined) return undefined;
    return { provider, name, ...(baseUrl === undefined ? {} : { baseUrl }), streamUsage: true };
  }
  const ofProvider = model.provider === defaults.provider ? defaults.baseUrl : undefined;
  const baseUrl = model.base_url ?? model.url ?? ofProvider;
  return {
    provider: model.provider,
    name: model.name,
    ...(baseUrl == null ? {} : { baseUrl }),
    ...(model.api_key_env == null ? {} : { apiKeyEnv: model.api_key_env }),
    streamUsage: model.stream_usage ?? true,
  };
}

function toTrigger(trigger: Definition["trigger"]): Trigger {
  const type = trigger?.type ?? "manual";
  // A blank template replaces nothing.
  const input = trigger?.input?.trim() ? { input: trigger.input } : {};
  const catchUp = trigger?.catch_up ?? "none";
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
        debounceMs: trigger?.debounce ?? DEFAULT_DEBOUNCE_MS,
        maxRuns: trigger?.max_runs ?? DEFAULT_MAX_RUNS,
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
