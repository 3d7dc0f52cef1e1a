// The stored texts of executions' ends, and the code of each text. Decisions about an end use its code, never its text.

/** The errors of runs that a person or the service stopped. */
export const STOPS = {
  cancelled: "Cancelled by user",
  service_stopped: "Aborted: service stopped",
  caller_ended: "Aborted: its caller ended",
  parent_ended: "Aborted: the execution that delegated to it has ended",
  conversation_purged: "Aborted: its conversation was purged",
  awaited_purged: "Aborted: what it waited for was purged",
} as const;

/**
 * The errors of runs that reached a limit of the agent or were stopped by loop detection. Each text begins with its code.
 */
export const LIMITS = {
  max_tool_calls: (calls: number, limit: number) =>
    `Aborted: max_tool_calls (${calls} calls, limit ${limit})`,
  max_execution_tokens: (tokens: number, limit: number) =>
    `Aborted: max_execution_tokens (${tokens} tokens, limit ${limit})`,
  max_cost_usd: (cost: number, limit: number) =>
    `Aborted: max_cost_usd ($${cost.toFixed(4)}, limit $${limit})`,
  max_tokens: (limit: number) => `Aborted: max_tokens (the reply was cut at ${limit} tokens)`,
  max_duration: (limit: string) => `Aborted: max_duration (${limit})`,
  loop_detected: (circle: string) => `Aborted: loop_detected (${circle})`,
  budget: (budget: string) => `Aborted: budget ${budget}`,
} as const;

/** The errors of runs whose last reply is no answer. The text of a refusal may be followed by the model's reason. */
export const NO_ANSWERS = {
  content_filter: "The provider's content filter stopped the reply",
  refusal: "The model refused to answer",
  empty_reply: "The model returned an empty reply",
  unclosed_thought: "The model's reply is only reasoning: its <think> is never closed",
} as const;

export type LimitCode = keyof typeof LIMITS;
export type EndCode = keyof typeof STOPS | LimitCode | keyof typeof NO_ANSWERS;

/** Returns the code of an end. Undefined for a success, an end without a code, and an open execution. */
export function endCodeOf(
  { status, error }: { status: string; error: string | null },
): EndCode | undefined {
  if (error === null) return undefined;
  if (status === "error") return codeOf(NO_ANSWERS, (text) => error.startsWith(text));
  if (status !== "aborted") return undefined;
  const limit = /^Aborted: (\w+)/.exec(error)?.[1];
  return isLimitCode(limit) ? limit : codeOf(STOPS, (text) => error === text);
}

export function isLimitCode(code: string | undefined): code is LimitCode {
  return code !== undefined && Object.hasOwn(LIMITS, code);
}

/** Returns true for an end that the loop decided from the run's conversation and usage alone. */
export function isLoopLimit(code: EndCode | undefined): boolean {
  return isLimitCode(code) && code !== "budget" && code !== "max_duration";
}

/** Returns true if a replay with the same replies ends with this code. */
export function isReplayedEnd(code: EndCode | undefined): boolean {
  return isLoopLimit(code) || code !== undefined && code in NO_ANSWERS;
}

function codeOf<C extends EndCode>(
  texts: Readonly<Record<C, string>>,
  matches: (text: string) => boolean,
): C | undefined {
  return (Object.keys(texts) as C[]).find((code) => matches(texts[code]));
}
