// Formats the figures at the end of an execution: time, tokens, cost and calls.
import { formatDuration } from "../../../base/durations.ts";
import { type FramePayload, numberOf } from "../../../present/payload.ts";
import { formatCost, formatCount, formatPlural } from "../figures.ts";

/** Returns the figures of a frame `complete` and the number of calls, as `2.1s · 1,200 tokens · 3 tool calls`. */
export function formatEnd(payload: FramePayload, calls: number): string {
  const duration = numberOf(payload, "duration_ms");
  const tokens = numberOf(payload, "total_tokens");
  const cost = numberOf(payload, "cost_usd");
  const about = payload["usage_estimated"] === true ? "~" : "";
  return [
    ...(duration === undefined ? [] : [formatDuration(duration)]),
    ...(tokens === undefined ? [] : [`${about}${formatCount(tokens)} tokens`]),
    ...(cost === undefined ? [] : [about + formatCost(cost)]),
    ...(calls === 0 ? [] : [formatPlural(calls, "tool call")]),
  ].join(" · ");
}
