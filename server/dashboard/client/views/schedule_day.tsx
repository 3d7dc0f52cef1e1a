// The line of a day, drawn: marks where a schedule was or will be due, the hours above, and the same as a table.
import type { VNode } from "preact";
import {
  describeMarks,
  hoursWithin,
  type Mark,
  type SlotWithStatus,
  type Stretch,
  toMarks,
} from "../state/day_marks.ts";
import { formatClock, formatHour, formatMinute, formatMoment, formatNumberOf } from "../format.ts";
import { Folded, Status } from "../parts.tsx";
import { toHash } from "../route.ts";

const HEIGHT = 24;
/** Rows of the table of a schedule; more of them are too many to read. */
const MOST_ROWS = 50;
/** With more marks on a line, they are drawn smaller. */
const MANY_MARKS = 60;
/** What is rare is drawn last, above the others. */
const BY_RARITY: readonly Mark["kind"][] = [
  "upcoming",
  "success",
  "started",
  "skipped",
  "missed",
  "failed",
];

/** A length of the stretch as the drawing takes it. */
const percent = (place: number) => `${(place * 100).toFixed(3)}%`;

const placeIn = (at: number, { from, to }: Stretch) => (at - from) / (to - from);

/** The hours of the day that is shown. */
export function ScheduleScale({ day }: { day: Stretch }): VNode {
  return (
    <svg class="scale hours" height={HEIGHT} aria-hidden="true">
      {hoursWithin(day).map((at) => (
        <text
          key={at}
          class={new Date(at).getHours() % 6 === 0 ? undefined : "minor"}
          x={percent(placeIn(at, day))}
          y={16}
        >
          {formatHour(at)}
        </text>
      ))}
    </svg>
  );
}

/** The line of one schedule. */
export function ScheduleDay(
  { job, day, now, knownTo }: {
    job: { slots: readonly SlotWithStatus[]; upcoming: readonly string[] };
    day: Stretch;
    now: number;
    /** Where the known times end although more follow; null where all are known. */
    knownTo: number | null;
  },
): VNode {
  const marks = toMarks(job, day);
  const end = Math.max(knownTo ?? day.to, day.from);
  return (
    <svg class="day-line" height={HEIGHT} role="img" aria-label={describeMarks(marks, formatClock)}>
      {hoursWithin(day).map((at) => (
        <line
          key={at}
          x1={percent(placeIn(at, day))}
          x2={percent(placeIn(at, day))}
          y1={0}
          y2={HEIGHT}
        />
      ))}
      <line class="base" x1="0" x2="100%" y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {end < day.to && (
        <line
          class="beyond"
          x1={percent(placeIn(end, day))}
          x2="100%"
          y1={HEIGHT / 2}
          y2={HEIGHT / 2}
        >
          <title>Repeats.</title>
        </line>
      )}
      {now >= day.from && now <= day.to && (
        <line
          class="now"
          x1={percent(placeIn(now, day))}
          x2={percent(placeIn(now, day))}
          y1={0}
          y2={HEIGHT}
        />
      )}
      {BY_RARITY.flatMap((kind) =>
        marks.filter((mark) =>
          mark.kind === kind
        )
      ).map((mark) => (
        <MarkShape
          key={`${mark.kind} ${mark.at}`}
          mark={mark}
          isSmall={marks.length > MANY_MARKS}
        />
      ))}
    </svg>
  );
}

function MarkShape({ mark, isSmall }: { mark: Mark; isSmall: boolean }): VNode {
  const { kind, at, count, reason, place, executionId } = mark;
  // For the pointer alone: whoever uses keys finds the same links in the table below.
  const open = () => {
    if (executionId !== null) location.hash = toHash({ view: "execution", id: executionId });
  };
  const title = [
    `${formatMoment(at)}: ${kind}`,
    count > 1 ? `${count} times` : null,
    reason,
  ].filter((part) => part !== null).join(", ");
  return (
    <circle
      class={`mark-${kind}${executionId === null ? "" : " opens"}`}
      cx={percent(place)}
      cy={HEIGHT / 2}
      r={isSmall && (kind === "success" || kind === "started" || kind === "upcoming") ? 3 : 5}
      onClick={open}
    >
      <title>{title}</title>
    </circle>
  );
}

/** What became of the times within the stretch, the latest first, with reasons. */
export function SlotTable(
  { slots, day }: { slots: readonly SlotWithStatus[]; day: Stretch },
): VNode | null {
  const shown = slots.filter(({ scheduled_for }) => {
    const at = Date.parse(scheduled_for);
    return at >= day.from && at < day.to;
  });
  if (shown.length === 0) return null;
  return (
    <Folded
      summary={<span class="muted small">{formatNumberOf(shown.length, "entry", "entries")}</span>}
    >
      {() => (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">Due</th>
                <th scope="col">Outcome</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
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
                        <a href={toHash({ view: "execution", id: slot.execution_id })}>
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
            <p class="muted small">The latest {MOST_ROWS}; “Earlier” leads to those before.</p>
          )}
        </>
      )}
    </Folded>
  );
}
