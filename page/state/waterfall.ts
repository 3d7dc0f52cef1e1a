// What an execution spent its time on: model calls, tools, delegated runs and waits for a person, as spans of time.
import { buildTimeline, type Entry } from "./timeline.ts";

/** One span; times are milliseconds since the epoch. */
export interface Span {
  /** The step that tells more of it. */
  step: number;
  kind: "model" | "tool" | "delegated" | "wait";
  name: string;
  from: number;
  /** Null while it lasts. */
  to: number | null;
  isError: boolean;
  childId: number | null;
}

/**
 * The spans in the order of their beginnings. `startedAt`: milliseconds since the epoch. A model call begins where what
 * was before it ended, and ends with its reply; a wait lasts from a question to its answer.
 */
export function toSpans(entries: readonly Entry[], startedAt: number): Span[] {
  const spans: Span[] = [];
  const waits = new Map<string, Span>();
  const ended = new Map<number, number>();
  // Where the step of a reply stands although its frame was left out of the timeline: with the final answer.
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
      // The time that a tool took is known exactly; a wait for a person in it is not part of it.
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
  // What a fork took over was the time of another execution.
  return spans.filter(({ to }) => to === null || to >= startedAt)
    .map((span) => ({ ...span, from: Math.max(span.from, startedAt) }))
    .sort((a, b) => a.from - b.from);
}

const NO_SPAN = { isError: false, childId: null } as const;
