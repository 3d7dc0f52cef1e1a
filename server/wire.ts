// From the runtime's values to the wire's: names in snake case, times as text, nothing that the wire does not name.
import type { Agent, Trigger } from "../runtime/agents/agent.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Diagnostic } from "../runtime/diagnostics.ts";
import type { Frame } from "../runtime/events/frame.ts";
import type { Execution } from "../runtime/executions/execution.ts";
import type { HumanRequest } from "../runtime/executions/human_request.ts";
import type {
  AgentListing,
  ExecutionDetail as Detail,
  ReloadReport,
  SchedulerJob as Job,
  SchedulerStatus,
} from "../runtime/runtime.ts";
import type { Slot } from "../runtime/triggers/slot_store.ts";
import type { PendingBody } from "./request_schemas.ts";
import type {
  AgentDetail,
  AgentSummary,
  DiagnosticBody,
  ExecutionDetail,
  ExecutionSummary,
  LogRow,
  ReloadBody,
  SchedulerBody,
  SchedulerJob,
  SlotBody,
  TriggerBody,
} from "./schemas.ts";

/** An execution without its answer. */
export function toExecutionSummary(execution: Execution): ExecutionSummary {
  return {
    id: execution.id,
    agent_id: execution.agentId,
    status: execution.status,
    trigger: execution.trigger,
    parent_execution_id: execution.parentExecutionId,
    session_id: execution.sessionId,
    started_at: toTimestamp(execution.startedAt),
    finished_at: toTimestampOrNull(execution.finishedAt),
    duration_ms: execution.durationMs,
    total_tokens: execution.totalTokens,
    cost_usd: execution.costUsd,
    error: execution.error,
    input_tokens: execution.inputTokens,
    output_tokens: execution.outputTokens,
    tool_calls: execution.toolCalls,
    model: execution.model,
    args: execution.args,
  };
}

/** An execution with its answer. */
export function toExecutionDetail(execution: Detail): ExecutionDetail {
  const { children, costUsd } = execution;
  return {
    ...toExecutionSummary(execution),
    output_data: execution.outputData,
    total_cost_usd: costUsd === null ? children.costUsd : costUsd + (children.costUsd ?? 0),
    children: {
      count: children.count,
      input_tokens: children.inputTokens,
      output_tokens: children.outputTokens,
      total_tokens: children.totalTokens,
      cost_usd: children.costUsd,
    },
  };
}

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
    trigger_paths: trigger.type === "watch" ? trigger.paths : null,
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
    confirm_timeout: agent.confirmTimeoutMs === null ? "none" : toDuration(agent.confirmTimeoutMs),
    trigger: toTrigger(agent.trigger),
    source_path: agent.sourcePath,
    warnings: agent.warnings.map(toDiagnostic),
    last_execution: lastExecution === null ? null : toExecutionSummary(lastExecution),
  };
}

/** A question to a person. */
export function toPending(request: HumanRequest): PendingBody {
  return {
    execution_id: request.executionId,
    request_id: request.requestId,
    kind: request.kind,
    message: request.message,
    tool_name: request.toolName,
    tool_args: request.toolArgs,
    options: request.options,
    multi: request.multi,
    created_at: toTimestamp(request.createdAt),
    expires_at: toTimestampOrNull(request.expiresAt),
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

/** What fires by itself. */
export function toScheduler({ status, jobs }: SchedulerStatus): SchedulerBody {
  return { status, jobs: jobs.map(toJob) };
}

/** A time at which an agent was due. */
export function toSlot(slot: Slot): SlotBody {
  return {
    scheduled_for: toTimestamp(slot.scheduledFor),
    outcome: slot.outcome,
    reason: slot.reason,
    execution_id: slot.executionId,
    count: slot.count,
  };
}

function toJob(job: Job): SchedulerJob {
  const { agentId, displayName, trigger, nextRun, lastRun } = job;
  const schedule = trigger.type === "schedule" ? trigger : undefined;
  return {
    agent_id: agentId,
    display_name: displayName,
    agent_name: agentId,
    trigger_type: trigger.type,
    next_run: toTimestampOrNull(nextRun),
    upcoming: job.upcoming.map(toTimestamp),
    every: schedule?.every ?? null,
    cron: schedule?.cron ?? null,
    timezone: schedule?.timezone ?? null,
    paths: trigger.type === "watch" ? trigger.paths : null,
    last_run: toTimestampOrNull(lastRun),
    trigger_paused: job.triggerPaused,
  };
}

/** Fields of a payload that a log row shows by themselves, or that are the same in every row. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  "timestamp",
  "event_type",
  "message",
  "execution_id",
  "agent_id",
  "display_name",
  "agent_name",
]);

/** A stored frame as an entry of the message log. */
export function toLogRow(frame: Frame): LogRow {
  const payload = JSON.parse(frame.payload);
  const { timestamp, event_type, message } = payload;
  const rest = Object.entries(payload).filter(([name, value]) =>
    !NOT_METADATA.has(name) && !(name === "content" && value === message)
  );
  const metadata = rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest));
  return {
    id: frame.id,
    execution_id: frame.executionId,
    timestamp,
    event_type,
    message,
    metadata,
  };
}

const DURATION_UNITS = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1_000]] as const;

/** Milliseconds as an agent file writes them: `90s` is `1m30s`, exact. */
export function toDuration(ms: number): string {
  let text = "";
  let rest = ms;
  for (const [unit, size] of DURATION_UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  if (rest > 0) text += `${rest}ms`;
  return text || "0s";
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
        catch_up: trigger.catchUp,
        input,
      };
    default:
      return trigger satisfies never;
  }
}

function toTimestampOrNull(ms: number | null): string | null {
  return ms === null ? null : toTimestamp(ms);
}
