// The line of a day, drawn: marks where a schedule was or will be due, the hours above, and the same as a table.
import type { VNode } from "preact";
import type { SlotBody } from "../../schemas.ts";
import { describeMarks, hoursWithin, type Mark, type Stretch, toMarks } from "./day_lane.ts";
import { formatClock, formatHour, formatMoment } from "./format.ts";
import { Folded, When } from "./parts.tsx";
import { toHash } from "./route.ts";

const HEIGHT = 24;
/** Rows of the table of a schedule; older ones the API has. */
const MOST_ROWS = 20;

/** A length of the stretch as the drawing takes it. */
const percent = (place: number) => `${(place * 100).toFixed(3)}%`;

const placeIn = (at: number, { from, to }: Stretch) => (at - from) / (to - from);

/** The hours of the day that is shown. */
export function ScheduleScale({ day }: { day: Stretch }): VNode {
  return (
    <svg class="scale" height={HEIGHT} aria-hidden="true">
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
export function ScheduleLane(
  { job, day, now }: {
    job: { slots: readonly SlotBody[]; upcoming: readonly string[] };
    day: Stretch;
    now: number;
  },
): VNode {
  const marks = toMarks(job, day);
  return (
    <svg class="lane" height={HEIGHT} role="img" aria-label={describeMarks(marks, formatClock)}>
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
      {now >= day.from && now <= day.to && (
        <line
          class="now"
          x1={percent(placeIn(now, day))}
          x2={percent(placeIn(now, day))}
          y1={0}
          y2={HEIGHT}
        />
      )}
      {marks.map((mark) => <MarkShape key={`${mark.kind} ${mark.at}`} mark={mark} />)}
    </svg>
  );
}

function MarkShape({ mark }: { mark: Mark }): VNode {
  const { kind, at, count, reason, place } = mark;
  const title = [
    `${formatMoment(at)}: ${kind}`,
    count > 1 ? `${count} times` : null,
    reason,
  ].filter((part) => part !== null).join(", ");
  return (
    <circle class={`mark-${kind}`} cx={percent(place)} cy={HEIGHT / 2} r={kind === "run" ? 5 : 4}>
      <title>{title}</title>
    </circle>
  );
}

/** What became of the latest times, with reasons. */
export function SlotTable({ slots }: { slots: readonly SlotBody[] }): VNode | null {
  if (slots.length === 0) return <p class="muted small">It was not due yet.</p>;
  return (
    <Folded summary={<span class="muted small">What became of its latest times</span>}>
      {() => (
        <table>
          <thead>
            <tr>
              <th scope="col">Due</th>
              <th scope="col">Outcome</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {slots.slice(0, MOST_ROWS).map((slot) => (
              <tr key={slot.scheduled_for}>
                <td>
                  <When at={slot.scheduled_for} />
                </td>
                <td>
                  {slot.execution_id === null
                    ? slot.outcome
                    : (
                      <a href={toHash({ view: "execution", id: slot.execution_id })}>
                        {slot.outcome}
                      </a>
                    )}
                  {slot.count > 1 && ` (${slot.count} times)`}
                </td>
                <td dir="auto">{slot.reason ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Folded>
  );
}
