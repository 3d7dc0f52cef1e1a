// The waterfall of an execution: a bar for each model call, tool call, delegated execution and wait.
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { formatDuration } from "../parts/format.ts";
import { Collapsible } from "../parts/parts.tsx";
import { useNow } from "../state/use_resource.ts";
import { type Span, toSpans } from "../state/waterfall.ts";
import type { Entry } from "../state/timeline.ts";
import { executionHref } from "../state/route.ts";

/** The maximum number of bars. If there are more, the longest bars are shown. */
const MOST_BARS = 60;
const KINDS: Record<Span["kind"], string> = {
  model: "model",
  tool: "tools",
  delegated: "delegated runs",
  wait: "waiting",
};

/** Renders the bars in the order of their start; nothing without spans. */
export function Waterfall(
  { executionId, entries, startedAt, endedAt }: {
    executionId: number;
    entries: readonly Entry[];
    /** The start of the execution in milliseconds since the epoch. */
    startedAt: number;
    /** The end of the execution in milliseconds since the epoch; null if it has not ended. */
    endedAt: number | null;
  },
): VNode | null {
  const spans = useMemo(() => toSpans(entries, startedAt), [entries, startedAt]);
  const now = useNow(1_000, endedAt === null);
  const end = Math.max(endedAt ?? now, startedAt + 1, ...spans.map(({ from, to }) => to ?? from));
  const lengthOf = ({ from, to }: Span) => (to ?? end) - from;
  if (spans.length === 0) return null;
  const longest = new Set(spans.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST_BARS));
  const shown = spans.filter((span) => longest.has(span));
  const sums = (Object.keys(KINDS) as Span["kind"][]).map((kind) => ({
    kind,
    ms: spans.filter((span) => span.kind === kind).reduce((sum, span) => sum + lengthOf(span), 0),
  })).filter(({ ms }) => ms > 0);
  return (
    <div class="waterfall">
      <Collapsible
        isOpen
        summary={
          <>
            Where the time went{" "}
            <span class="muted">
              {sums.map(({ kind, ms }) => `${KINDS[kind]} ${formatDuration(ms)}`).join(", ")}
            </span>
          </>
        }
      >
        {() => (
          <>
            <ul>
              {shown.map((span, index) => (
                <li key={index}>
                  <a
                    class="ellipsis"
                    href={span.childId === null
                      ? executionHref(executionId, span.step)
                      : executionHref(span.childId)}
                  >
                    {span.kind === "wait" ? `wait: ${span.name}` : span.name}
                    {span.childId !== null && ` #${span.childId}`}
                  </a>
                  <span class="track" aria-hidden="true">
                    <span
                      class={`bar ${span.isError ? "failed" : span.kind}`}
                      style={{
                        marginLeft: `${(span.from - startedAt) / (end - startedAt) * 100}%`,
                        width: `${lengthOf(span) / (end - startedAt) * 100}%`,
                      }}
                    />
                  </span>
                  <span class="number small muted">
                    {formatDuration(lengthOf(span))}
                    {span.isError && " failed"}
                    {span.to === null && " so far"}
                  </span>
                </li>
              ))}
            </ul>
            {shown.length < spans.length && (
              <p class="muted small">
                The {shown.length} longest of {spans.length}.
              </p>
            )}
          </>
        )}
      </Collapsible>
    </div>
  );
}
