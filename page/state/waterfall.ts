// Calculates the time spans of an execution: model calls, tool calls, delegated executions, and waits for a person.
import { buildTimeline, type Entry } from "./timeline.ts";

/** A time span. Times are milliseconds since the epoch. */
export interface Span {
  /** The number of the step to which the span belongs. */
  step: number;
  kind: "model" | "tool" | "delegated" | "wait";
  name: string;
  from: number;
  /** The end of the span; null if it has not ended. */
  to: number | null;
  isError: boolean;
  childId: number | null;
}

/**
 * Returns the spans in the order of their start. `startedAt` is in milliseconds since the epoch. A model call starts at the
 * end of the span before it and ends with its reply. A wait lasts from a question to its answer.
 */
export function toSpans(entries: readonly Entry[], startedAt: number): Span[] {
  const spans: Span[] = [];
  const waits = new Map<string, Span>();
  const ended = new Map<number, number>();
  let free = startedAt;
  for (const { id, payload } of entries) {
    const at = Date.parse(String(payload["timestamp"] ?? ""));
    if (Number.isNaN(at)) continue;
    ended.set(id, at);
    switch (payload["event_type"]) {
      case "ai":
      case "tool_call":
        spans.push({ ...NO_SPAN, step: id, kind: "model", name: "model", from: free, to: at });
        break;
      case "interrupt": {
        const key = String(payload["request_id"] ?? "");
        if (waits.has(key)) break;
        const name = String(payload["tool_name"] ?? "") || "question";
        const wait: Span = { ...NO_SPAN, step: id, kind: "wait", name, from: at, to: null };
        waits.set(key, wait);
        spans.push(wait);
        break;
      }
      case "human": {
        const key = String(payload["request_id"] ?? "");
        const wait = key === "" ? [...waits.values()].at(-1) : waits.get(key);
        if (wait !== undefined) wait.to ??= at;
        break;
      }
      case "complete":
        for (const wait of waits.values()) wait.to ??= at;
        break;
    }
    free = Math.max(free, at);
  }
  for (const step of buildTimeline(entries)) {
    if (step.kind !== "reply") continue;
    for (const { name, childId, result } of step.calls) {
      // Use the measured duration of a tool, because it excludes a wait for a person.
      const from = result === null || result.durationMs === null
        ? step.at
        : Math.max(step.at, result.at - result.durationMs);
      const isDelegated = name === "run_agent";
      spans.push({
        step: step.id,
        kind: isDelegated ? "delegated" : "tool",
        name,
        from,
        to: result?.at ?? null,
        isError: result?.isError ?? false,
        childId,
      });
    }
  }
  // Omit the steps that a fork copied, because their times belong to another execution.
  return spans.filter(({ to }) => to === null || to >= startedAt)
    .map((span) => ({ ...span, from: Math.max(span.from, startedAt) }))
    .sort((a, b) => a.from - b.from);
}

const NO_SPAN = { isError: false, childId: null } as const;
