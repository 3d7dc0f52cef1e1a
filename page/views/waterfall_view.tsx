// The waterfall of an execution: a bar for each model call, tool call, delegated execution and wait, on a time axis. The
// bars of a delegated execution are below its own.
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Client } from "../../api/client/client.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { formatDuration, formatNumberOf } from "../parts/format.ts";
import { Agent, Collapsible } from "../parts/parts.tsx";
import { useNow, useResource } from "../state/use_resource.ts";
import { divideTime, type Part, type Span, toSpans } from "../state/waterfall.ts";
import type { Stretch } from "../state/day_marks.ts";
import type { Entry } from "../state/timeline.ts";
import { executionHref } from "../state/route.ts";
import { toTicks } from "../state/usage_sums.ts";

/** The maximum number of bars of one execution. If there are more, the longest bars are shown. */
const MOST_BARS = 60;
/** The number of delegated executions of one execution whose bars are shown. */
const MOST_NESTED = 8;
/** The number of levels of delegated executions whose bars are shown. */
const DEEPEST = 3;
/** The number of entries that are loaded of a delegated execution. */
const MOST_ENTRIES = 500;
const KINDS: Record<Part["kind"], readonly [one: string, many: string]> = {
  model: ["model call", "model calls"],
  tool: ["tool call", "tool calls"],
  delegated: ["delegated run", "delegated runs"],
  wait: ["wait for a person", "waits for people"],
  other: ["other", "other"],
};

/** Renders the bars in the order of their start; nothing without spans. */
export function Waterfall(
  { execution, entries, startedAt, endedAt }: {
    execution: Pick<ExecutionSummary, "id" | "model" | "duration_ms">;
    entries: readonly Entry[];
    /** The start of the execution in milliseconds since the epoch. */
    startedAt: number;
    /** The end of the execution in milliseconds since the epoch; null if it has not ended. */
    endedAt: number | null;
  },
): VNode | null {
  const spans = useMemo(() => toSpans(entries, startedAt), [entries, startedAt]);
  const now = useNow(1_000, endedAt === null);
  const to = Math.max(endedAt ?? now, startedAt + 1, ...spans.map((span) => span.to ?? span.from));
  const period = { from: startedAt, to };
  if (spans.length === 0) return null;
  const { worked, parts, waits } = partsOf(divideTime(spans, period), execution.duration_ms);
  const length = to - startedAt;
  const ticks = toTicks(length).filter((tick) => tick <= length);
  return (
    <div class="waterfall">
      <Collapsible
        isOpen
        summary={
          <>
            Where the time went{" "}
            <span class="muted">
              {formatDuration(worked)}: {describeParts(parts)}
              {waits.length > 0 && `; in addition ${describeParts(waits)}`}
            </span>
          </>
        }
      >
        {() => (
          <ul>
            <li class="ticks" aria-hidden="true">
              <span class="track">
                {ticks.map((tick) => (
                  <span key={tick} style={{ left: `${tick / length * 100}%` }}>
                    {formatDuration(tick)}
                  </span>
                ))}
              </span>
            </li>
            <Bars execution={execution} spans={spans} period={period} depth={0} />
          </ul>
        )}
      </Collapsible>
    </div>
  );
}

/**
 * Returns the duration and its parts, and the waits, which a duration excludes. `duration` is null for an execution that has
 * not ended. The parts add up to the duration: its rest is `other`, and if the entries span a few milliseconds more than the
 * duration, the longest part loses them.
 */
function partsOf(
  divided: readonly Part[],
  duration: number | null,
): { worked: number; parts: Part[]; waits: Part[] } {
  const known = divided.filter(({ kind }) => kind !== "wait" && kind !== "other");
  const sum = known.reduce((before, { ms }) => before + ms, 0);
  const idle = divided.find(({ kind }) => kind === "other")?.ms ?? 0;
  const worked = duration ?? sum + idle;
  const other: Part = { kind: "other", ms: Math.max(0, worked - sum), count: 1, together: 0 };
  const longest = Math.max(...known.map(({ ms }) => ms));
  const excess = Math.max(0, sum - worked);
  const parts = known.map((part) =>
    part.ms === longest ? { ...part, ms: Math.max(0, longest - excess) } : part
  );
  return { worked, parts: [...parts, other], waits: divided.filter(({ kind }) => kind === "wait") };
}

const describeParts = (parts: readonly Part[]) =>
  parts.filter(({ ms }) => ms >= 1).map(describePart).join(", ");

/** Returns a part as text: `2 delegated runs 2.6 s (at the same time, 4.2 s together)`. */
function describePart({ kind, ms, count, together }: Part): string {
  const [one, many] = KINDS[kind];
  const name = kind === "other" ? one : formatNumberOf(count, one, many);
  const isParallel = together > ms * 1.05 && count > 1;
  const sum = isParallel ? ` (partly at the same time, ${formatDuration(together)} together)` : "";
  return `${name} ${formatDuration(ms)}${sum}`;
}

function Bars(
  { execution, spans, period, depth }: {
    execution: Pick<ExecutionSummary, "id" | "model">;
    spans: readonly Span[];
    /** The period that the axis shows. */
    period: Stretch;
    depth: number;
  },
): VNode {
  const lengthOf = ({ from, to }: Span) => (to ?? period.to) - from;
  const longest = new Set(spans.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST_BARS));
  const shown = spans.filter((span) => longest.has(span));
  const nested = depth < DEEPEST
    ? new Set(shown.filter(({ childId }) => childId !== null).slice(0, MOST_NESTED))
    : new Set<Span>();
  return (
    <>
      {shown.map((span, index) =>
        nested.has(span) && span.childId !== null
          ? (
            <DelegatedBars
              key={`child ${span.childId}`}
              span={span}
              id={span.childId}
              period={period}
              depth={depth + 1}
            />
          )
          : <Bar key={index} execution={execution} span={span} period={period} depth={depth} />
      )}
      {shown.length < spans.length && (
        <li class="muted small">The {shown.length} longest of {spans.length}.</li>
      )}
    </>
  );
}

/** Renders the bar of a delegated execution, and its own bars below. */
function DelegatedBars(
  { span, id, period, depth }: { span: Span; id: number; period: Stretch; depth: number },
): VNode {
  const { data } = useResource((client) => loadSpans(client, id), { key: String(id), topics: [] });
  return (
    <>
      <Bar
        execution={data?.execution ?? { id, model: "" }}
        agentId={data?.execution.agent_id}
        span={data === undefined ? span : { ...span, ...data.period }}
        period={period}
        depth={depth - 1}
      />
      {data !== undefined && (
        <Bars execution={data.execution} spans={data.spans} period={period} depth={depth} />
      )}
    </>
  );
}

async function loadSpans(
  client: Client,
  id: number,
): Promise<{ execution: ExecutionSummary; spans: Span[]; period: Pick<Span, "from" | "to"> }> {
  const [execution, rows] = await Promise.all([
    client.execution(id),
    client.messages(id, { limit: MOST_ENTRIES }),
  ]);
  const entries = rows.map(({ id, timestamp, event_type, message, metadata }) => ({
    id,
    payload: { timestamp, event_type, message, ...JSON.parse(metadata ?? "{}") },
  }));
  const from = Date.parse(execution.started_at);
  const to = execution.finished_at === null ? null : Date.parse(execution.finished_at);
  return { execution, spans: toSpans(entries, from), period: { from, to } };
}

function Bar(
  { execution: { id, model }, agentId, span, period: { from, to }, depth }: {
    execution: Pick<ExecutionSummary, "id" | "model">;
    /** The agent of a delegated execution, if it is known. */
    agentId?: string | undefined;
    span: Span;
    period: Stretch;
    depth: number;
  },
): VNode {
  const length = (span.to ?? to) - span.from;
  return (
    <li>
      <a
        class="ellipsis"
        style={{ paddingLeft: `${depth * 0.9}rem` }}
        title={`${span.name} ${span.subject}`.trim()}
        href={span.childId === null ? executionHref(id, span.step) : executionHref(span.childId)}
      >
        {span.kind === "model" ? model.split("/").at(-1) || "model" : (
          <>
            {span.kind === "wait" && "wait: "}
            {agentId === undefined ? span.name : <Agent id={agentId} />}
            {span.childId !== null && ` #${span.childId}`}
            {span.subject !== "" && <span class="muted">{` ${span.subject}`}</span>}
          </>
        )}
      </a>
      <span class="track" aria-hidden="true">
        <span
          class={`bar ${span.isError ? "failed" : span.kind}`}
          style={{
            marginLeft: `${(span.from - from) / (to - from) * 100}%`,
            width: `${length / (to - from) * 100}%`,
          }}
        />
      </span>
      <span class="number small muted">
        {formatDuration(length)}
        {span.isError && " failed"}
        {span.to === null && " so far"}
      </span>
    </li>
  );
}
