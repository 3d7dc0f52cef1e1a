// From the runtime's agents, and what is wrong with their files, to the wire's.
import type { Agent, Trigger } from "../../runtime/agents/agent.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { writeDuration } from "../../base/durations.ts";
import type { AgentListing, ReloadReport } from "../../runtime/runtime.ts";
import type { AgentDetail, AgentSummary, ReloadBody, TriggerBody } from "./agent_schemas.ts";
import type { DiagnosticBody } from "./diagnostic_schemas.ts";
import { toExecutionSummary } from "./execution_wire.ts";
import { toTimestampOrNull } from "./wire_values.ts";

/** An agent as lists show it. */
export function toAgentSummary(listing: AgentListing): AgentSummary {
  const { agent, lastExecution, nextRun, triggerPaused } = listing;
  const { trigger } = agent;
  const schedule = trigger.type === "schedule" ? trigger : undefined;
  return {
    id: agent.id,
    display_name: agent.displayName,
    name: agent.displayName,
    description: agent.description,
    icon: agent.icon,
    enabled: agent.enabled,
    trigger_type: trigger.type,
    model_provider: agent.model?.provider ?? null,
    model_name: agent.model?.name ?? null,
    trigger_every: schedule?.every ?? null,
    trigger_cron: schedule?.cron ?? null,
    trigger_paths: trigger.type === "watch" ? trigger.paths : [],
    last_run: toTimestampOrNull(lastExecution?.startedAt ?? null),
    last_status: lastExecution?.status ?? null,
    last_execution_id: lastExecution?.id ?? null,
    next_run: toTimestampOrNull(nextRun),
    trigger_paused: triggerPaused,
  };
}

/** An agent with its whole configuration. */
export function toAgentDetail(listing: AgentListing): AgentDetail {
  const { agent, lastExecution } = listing;
  return {
    ...toAgentSummary(listing),
    history: agent.history,
    settings: toSettings(agent),
    paths: Object.fromEntries(agent.paths.map(({ alias, path }) => [alias, path])),
    custom_tools: agent.customTools,
    mcp: agent.mcp,
    skills: agent.skills,
    agents: agent.agents,
    confirm: agent.confirmTools,
    auto_approve: agent.autoApprove,
    on_pending: agent.onPending,
    confirm_timeout: agent.confirmTimeoutMs === null
      ? "none"
      : writeDuration(agent.confirmTimeoutMs),
    trigger: toTrigger(agent.trigger),
    source_path: agent.sourcePath,
    warnings: agent.warnings.map(toDiagnostic),
    last_execution: lastExecution === null ? null : toExecutionSummary(lastExecution),
  };
}

/** A problem in a file. */
export function toDiagnostic(diagnostic: Diagnostic): DiagnosticBody {
  const { path, line, column, severity, message, hint = null } = diagnostic;
  return { path, line, column, severity, message, hint };
}

/** What a reload changed. */
export function toReload(report: ReloadReport): ReloadBody {
  return {
    agents_loaded: report.loaded,
    added: report.added,
    updated: report.updated,
    removed: report.removed,
    errors: report.errors.map(({ path, line, message }) => ({ path, line, message })),
  };
}

function toSettings({ settings }: Agent): AgentDetail["settings"] {
  return {
    temperature: settings.temperature,
    max_tokens: settings.maxTokens,
    timeout: settings.timeout,
    max_tool_calls: settings.maxToolCalls,
    max_execution_tokens: settings.maxExecutionTokens,
    max_cost_usd: settings.maxCostUsd,
    loop_detection: settings.loopDetection,
  };
}

function toTrigger(trigger: Trigger): TriggerBody {
  const input = trigger.input ?? null;
  switch (trigger.type) {
    case "manual":
      return { type: "manual", input };
    case "schedule":
      return {
        type: "schedule",
        every: trigger.every ?? null,
        cron: trigger.cron ?? null,
        timezone: trigger.timezone ?? null,
        catch_up: trigger.catchUp,
        input,
      };
    case "watch":
      return {
        type: "watch",
        paths: trigger.paths,
        filters: trigger.filters,
        debounce: trigger.debounceMs / 1_000,
        max_runs: trigger.maxRuns,
        catch_up: trigger.catchUp,
        input,
      };
    default:
      return trigger satisfies never;
  }
}
