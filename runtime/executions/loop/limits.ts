// The limits of a run: which one a reply crossed. Counters come from the stored rows, so they hold over restarts.
import type { RunSettings } from "../../config/agent_settings.ts";
import type { Execution } from "../execution.ts";

/** The error of the first limit that these figures cross, or undefined. */
export function findCrossedLimit(figures: Execution, settings: RunSettings): string | undefined {
  const { maxToolCalls, maxExecutionTokens, maxCostUsd } = settings;
  if (maxToolCalls !== null && figures.toolCalls > maxToolCalls) {
    return `Aborted: max_tool_calls (${figures.toolCalls} calls, limit ${maxToolCalls})`;
  }
  const tokens = figures.totalTokens ?? 0;
  if (maxExecutionTokens !== null && tokens > maxExecutionTokens) {
    return `Aborted: max_execution_tokens (${tokens} tokens, limit ${maxExecutionTokens})`;
  }
  const cost = figures.costUsd ?? 0;
  if (maxCostUsd !== null && cost > maxCostUsd) {
    return `Aborted: max_cost_usd ($${cost.toFixed(4)}, limit $${maxCostUsd})`;
  }
  return undefined;
}
