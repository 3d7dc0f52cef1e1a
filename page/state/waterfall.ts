// Calculates the time spans of an execution: model calls, tool calls, delegated executions, and waits for a person, and
// the parts of its duration.
import { parseObject } from "../../present/payload.ts";
import { firstLine } from "../../present/visible_text.ts";
import { buildTimeline, type Entry } from "./timeline.ts";

/** The maximum length of the subject of a span, in characters. */
const MOST_SUBJECT = 60;

/** The kinds of spans. A moment that several kinds share counts for the first of them. */
export const SPAN_KINDS = ["model", "tool", "delegated", "wait"] as const;
export type SpanKind = typeof SPAN_KINDS[number];

/** A time span. Times are milliseconds since the epoch. */
export interface Span {
  /** The number of the step to which the span belongs. */
  step: number;
  kind: SpanKind;
  name: string;
  /** The first text among the arguments of a tool call, such as a path; empty for other spans. */
  subject: string;
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
  const steps = buildTimeline(entries).filter(({ at }) => !Number.isNaN(at));
  const end = steps.find(({ kind }) => kind === "end")?.at ?? null;
  const waiting = new Set(
    steps.map((step) =>
      step.kind === "question" && step.answeredAt === undefined && end === null ? step.toolName : ""
    ),
  );
  const spans: Span[] = [];
  let free = startedAt;
  for (const step of steps) {
    const { id, at } = step;
    if (step.kind === "question") {
      const { toolName, answeredAt: to = end } = step;
      const name = toolName || "question";
      spans.push({ ...NO_SPAN, step: id, kind: "wait", name, from: at, to });
      free = Math.max(free, step.answeredAt ?? at);
    }
    if ((step.kind === "reply" || step.kind === "answer") && step.number !== null) {
      spans.push({ ...NO_SPAN, step: id, kind: "model", name: "model", from: free, to: at });
    }
    free = Math.max(free, at);
    if (step.kind !== "reply") continue;
    for (const { name, args, childId, result } of step.calls) {
      free = Math.max(free, result?.at ?? at);
      // A call does not run while it waits for a person.
      if (result === null && waiting.has(name)) continue;
      // Use the measured duration of a tool, because it excludes a wait for a person.
      const from = result === null || result.durationMs === null
        ? at
        : Math.max(at, result.at - result.durationMs);
      const isDelegated = name === "run_agent";
      spans.push({
        step: id,
        kind: isDelegated ? "delegated" : "tool",
        name,
        subject: isDelegated ? "" : subjectOf(args),
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

const NO_SPAN = { isError: false, childId: null, subject: "" } as const;

/** Returns the first line of the first text among the arguments. */
function subjectOf(args: string): string {
  const first = Object.values(parseObject(args) ?? {}).find((value) => typeof value === "string");
  return first === undefined ? "" : firstLine(String(first)).slice(0, MOST_SUBJECT);
}

/** A part of a duration in milliseconds. */
export interface Part {
  kind: SpanKind | "other";
  ms: number;
  /** The number of spans of this kind. */
  count: number;
  /** The sum of their lengths, which is more than `ms` if some of them ran at the same time. */
  together: number;
}

/**
 * Divides the time from `from` to `to` into parts, so that they add up to it. A span without an end lasts until `to`. Time
 * without a span is `other`.
 */
export function divideTime(
  spans: readonly Span[],
  { from, to }: { from: number; to: number },
): Part[] {
  const parts = new Map<Part["kind"], Part>();
  const partOf = (kind: Part["kind"]) => {
    const part = parts.get(kind) ?? { kind, ms: 0, count: 0, together: 0 };
    parts.set(kind, part);
    return part;
  };
  const within = spans.map((span) => ({
    kind: span.kind,
    from: Math.max(span.from, from),
    to: Math.min(span.to ?? to, to),
  })).filter((one) => one.to >= one.from);
  for (const span of within) {
    const part = partOf(span.kind);
    part.count++;
    part.together += span.to - span.from;
  }
  const bounds = [...new Set([from, to, ...within.flatMap((one) => [one.from, one.to])])]
    .sort((a, b) => a - b);
  for (const [index, start] of bounds.entries()) {
    const end = bounds[index + 1] ?? start;
    const open = within.filter((one) => one.from < end && one.to > start);
    const kind = SPAN_KINDS.find((one) => open.some((span) => span.kind === one)) ?? "other";
    if (end > start) partOf(kind).ms += end - start;
  }
  return [...SPAN_KINDS, "other" as const].flatMap((kind) => parts.get(kind) ?? []);
}
