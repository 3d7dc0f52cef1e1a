// The time line of a schedule for one day: the marks of its times, the hours, and the same data as a table.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import {
  describeMarks,
  labelsWithin,
  type Mark,
  type SlotWithStatus,
  type Stretch,
  toMarks,
} from "../state/day_marks.ts";
import {
  formatClock,
  formatDay,
  formatHour,
  formatMinute,
  formatMoment,
  formatNumberOf,
  toDayName,
} from "../parts/format.ts";
import { DAY_MS, HOUR_MS } from "../../base/time_units.ts";
import { Collapsible, Status, TableHead } from "../parts/parts.tsx";
import { Pointable } from "../parts/pointable.tsx";
import { executionHref } from "../state/route.ts";

const HEIGHT = 24;
/** The maximum number of rows in the table. */
const MOST_ROWS = 50;
/** The number of marks on a line above which they are drawn smaller. */
const MANY_MARKS = 60;
/** The width above which the times of one mark are drawn as a band, as a fraction of the period. */
const NARROW = 1 / 60;
/** The kinds of marks in drawing order. Rare kinds are drawn last, so that frequent ones do not cover them. */
const BY_RARITY: readonly Mark["kind"][] = [
  "upcoming",
  "success",
  "started",
  "skipped",
  "missed",
  "running",
  "waiting",
  "failed",
];

/** Returns a position from 0 to 1 as a CSS percentage. */
const percent = (place: number) => `${(place * 100).toFixed(3)}%`;

const placeIn = (at: number, { from, to }: Stretch) => (at - from) / (to - from);

/** Renders the hours above the time lines. */
export function ScheduleScale({ day }: { day: Stretch }): VNode {
  return (
    <svg class="scale hours" height={HEIGHT} aria-hidden="true">
      {labelsWithin(day).map((at, index) => (
        <text
          key={at}
          class={index % 2 === 0 ? undefined : "minor"}
          x={percent(placeIn(at, day))}
          y={16}
        >
          {formatLabel(at, day)}
        </text>
      ))}
    </svg>
  );
}

function formatLabel(at: number, { from, to }: Stretch): string {
  if (to - from <= HOUR_MS) return formatClock(at);
  return to - from > DAY_MS ? formatDay(toDayName(at)) : formatHour(at);
}

/** Renders the time line of one schedule, below the description of the selected mark or of the whole day. */
export function ScheduleDay(
  { job, day, now, knownTo }: {
    job: { slots: readonly SlotWithStatus[]; upcoming: readonly string[] };
    day: Stretch;
    now: number;
    /** The time of the last upcoming run that was loaded; null if all are loaded. */
    knownTo: number | null;
  },
): VNode {
  const marks = toMarks(job, day, knownTo);
  const [pointed, setPointed] = useState<string | null>(null);
  const found = marks.findIndex((mark) => keyOf(mark) === pointed);
  // Without a selection, the arrow keys start at the latest mark of the past.
  const latest = marks.findLastIndex(({ kind }) => kind !== "upcoming");
  const at = found >= 0 ? found : Math.max(latest, 0);
  const open = (mark: Mark | undefined) => {
    const executionId = mark?.executionId ?? null;
    if (executionId !== null) location.hash = executionHref(executionId);
  };
  const summary = describeMarks(marks, formatClock);
  const current = marks[found];
  const description = current === undefined ? summary : describeMark(current);
  const line = (
    <Line day={day} now={now}>
      {BY_RARITY.flatMap((kind) => marks.filter((mark) => mark.kind === kind)).map((mark) => (
        <MarkShape
          key={keyOf(mark)}
          mark={mark}
          isSmall={marks.length > MANY_MARKS}
          isPointed={keyOf(mark) === pointed}
          onPoint={() => setPointed(keyOf(mark))}
          onOpen={() => open(mark)}
        />
      ))}
    </Line>
  );
  return (
    <>
      <p class="readout" dir="auto" title={description}>{description}</p>
      {marks.length === 0 ? line : (
        <Pointable
          label={summary}
          texts={marks.map(describeMark)}
          at={at}
          onPoint={(index) => {
            const mark = marks[index];
            if (mark !== undefined) setPointed(keyOf(mark));
          }}
          onOpen={() => open(marks[at])}
        >
          {line}
        </Pointable>
      )}
    </>
  );
}

const keyOf = ({ kind, at }: Mark) => `${kind} ${at}`;

/** Returns a mark as text: `Jan 31, 2026, 8:30:00 AM: skipped, 3 times, it was still running`. */
function describeMark({ kind, at, count, reason }: Mark): string {
  const parts = [kind, count > 1 ? `${count} times` : null, reason];
  return `${formatMoment(at)}: ${parts.filter((part) => part !== null).join(", ")}`;
}

function Line(
  { day, now, children }: { day: Stretch; now: number; children: VNode[] },
): VNode {
  const level = { y1: HEIGHT / 2, y2: HEIGHT / 2 };
  const upright = (at: number) => {
    const x = percent(placeIn(at, day));
    return { x1: x, x2: x, y1: 0, y2: HEIGHT };
  };
  return (
    <svg class="day-line" height={HEIGHT} aria-hidden="true">
      {labelsWithin(day).map((at) => <line key={at} {...upright(at)} />)}
      <line class="base" x1="0" x2="100%" {...level} />
      {now >= day.from && now <= day.to && <line class="now" {...upright(now)} />}
      {children}
    </svg>
  );
}

function MarkShape(
  { mark, isSmall, isPointed, onPoint, onOpen }: {
    mark: Mark;
    isSmall: boolean;
    isPointed: boolean;
    onPoint: () => void;
    onOpen: () => void;
  },
): VNode {
  const { kind, place, end, executionId } = mark;
  const isLittle = isSmall && (kind === "success" || kind === "started" || kind === "upcoming");
  const opens = executionId === null ? "" : " opens";
  const shared = {
    class: `mark mark-${kind}${opens}${isPointed ? " pointed" : ""}`,
    onPointerEnter: onPoint,
    onPointerDown: onPoint,
  };
  if (end !== undefined && end - place > NARROW) {
    const [x, width] = [percent(place), percent(end - place)];
    return (
      <rect {...shared} class={`${shared.class} band`} x={x} width={width} y={7} height={10} />
    );
  }
  return (
    <svg
      {...shared}
      x={percent(place)}
      y={HEIGHT / 2}
      // A tap on a touch screen only selects the mark. The link to its execution is in the table below.
      onClick={(event: MouseEvent) => {
        if ((event as PointerEvent).pointerType !== "touch") onOpen();
      }}
    >
      <path d={SHAPES[kind]} transform={isLittle ? "scale(0.65)" : undefined} />
    </svg>
  );
}

/** The shape of each kind, so that the kinds do not depend on color alone. */
const SHAPES: Readonly<Record<Mark["kind"], string>> = {
  success: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
  failed: "M0 -7L7 0L0 7L-7 0z",
  running: "M-4 -6L7 0L-4 6z",
  waiting: "M-5.5 -6h4v12h-4zM1.5 -6h4v12h-4z",
  started: "M-2 -6h4v12h-4z",
  skipped: "M-6.5 -5H6.5L0 6.5z",
  missed: "M-5 -5h10v10h-10z",
  upcoming: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
};

/** The kinds of marks in the order of the legend. */
export const MARK_KINDS = Object.keys(SHAPES) as Mark["kind"][];

/** Renders the mark of a kind in the legend. */
export function MarkGlyph({ kind }: { kind: Mark["kind"] | "many" }): VNode {
  return (
    <svg class={`glyph mark mark-${kind}`} viewBox="-8 -8 16 16" aria-hidden="true">
      <path d={kind === "many" ? "M-8 -5h16v10h-16z" : SHAPES[kind]} />
    </svg>
  );
}

/** Renders the table of the outcomes within a period, newest first. */
export function SlotTable(
  { slots, day }: { slots: readonly SlotWithStatus[]; day: Stretch },
): VNode | null {
  const shown = slots.filter(({ scheduled_for }) => {
    const at = Date.parse(scheduled_for);
    return at >= day.from && at < day.to;
  });
  if (shown.length === 0) return null;
  return (
    <Collapsible
      summary={<span class="muted small">{formatNumberOf(shown.length, "entry", "entries")}</span>}
    >
      {() => (
        <>
          <table>
            <TableHead names={["Due", "Outcome", "Reason"]} />
            <tbody>
              {shown.slice(0, MOST_ROWS).map((slot) => (
                <tr key={slot.scheduled_for}>
                  <td>
                    <time dateTime={slot.scheduled_for}>
                      {formatMinute(Date.parse(slot.scheduled_for))}
                    </time>
                  </td>
                  <td>
                    {slot.execution_id === null
                      ? slot.outcome
                      : (
                        <a href={executionHref(slot.execution_id)}>
                          {slot.status === undefined
                            ? slot.outcome
                            : <Status status={slot.status} />}
                        </a>
                      )}
                    {slot.count > 1 && ` (${slot.count} times)`}
                  </td>
                  <td dir="auto">{slot.reason ?? ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {shown.length > MOST_ROWS && (
            <p class="muted small">The latest {MOST_ROWS}. Press “Earlier” for older ones.</p>
          )}
        </>
      )}
    </Collapsible>
  );
}
