// Calculates the marks of a schedule on a time line: the outcomes of past times, and the next times.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { ExecutionStatus } from "../../runtime/executions/states.ts";
import type { SlotBody } from "../../api/schemas/scheduler_schemas.ts";

/** A period of time in milliseconds since the epoch. */
export interface Stretch {
  from: number;
  to: number;
}

/** The kind of a mark. A run has the kind of its status, or `started` if its status is unknown. */
export type MarkKind = Exclude<SlotBody["outcome"], "run"> | RunOutcome | "upcoming";
const RUN_OUTCOMES = ["success", "failed", "running", "waiting", "started"] as const;
type RunOutcome = typeof RUN_OUTCOMES[number];

/** A scheduled time with the status of its execution, if it is known. */
export type SlotWithStatus = SlotBody & { status?: ExecutionStatus | undefined };

/** A mark on the time line. */
export interface Mark {
  /** The position: 0 at the start of the period, 1 at its end. */
  place: number;
  kind: MarkKind;
  at: number;
  /** The position of the last time that the mark represents, which is drawn as a band; absent for a single place. */
  end?: number;
  /** The number of scheduled times that the mark represents. */
  count: number;
  reason: string | null;
  /** The latest execution that the mark represents. */
  executionId: number | null;
}

/** The minimum distance of two marks of the same kind, as a fraction of the period. Closer marks are merged. */
const GRAIN = 1 / 288;
/** The distance below which two upcoming times would touch each other, so that a band takes their place. */
const UPCOMING_GRAIN = 1 / 96;

/**
 * Returns the marks of a schedule within a period, oldest first. If only the times until `knownTo` are known, the band of
 * the upcoming ones lasts until the end of the period.
 */
export function toMarks(
  schedule: { slots: readonly SlotWithStatus[]; upcoming: readonly string[] },
  { from, to }: Stretch,
  knownTo: number | null = null,
): Mark[] {
  const place = (at: number) => (at - from) / (to - from);
  const isInside = ({ at }: Mark) => at >= from && at < to;
  const past = schedule.slots.map((slot) => {
    const at = Date.parse(slot.scheduled_for);
    const { reason, count, execution_id: executionId } = slot;
    const kind = kindOf(slot);
    return { place: place(at), kind, at, count, reason, executionId };
  });
  const next = schedule.upcoming.map((time) => {
    const at = Date.parse(time);
    const nothingYet = { count: 1, reason: null, executionId: null };
    return { place: place(at), kind: "upcoming" as const, at, ...nothingYet };
  });
  const marks = joinNear([...past, ...next].filter(isInside).sort((a, b) => a.at - b.at));
  const last = marks.findLast(({ kind }) => kind === "upcoming");
  if (knownTo !== null && knownTo < to && last?.end !== undefined) last.end = 1;
  return marks;
}

/** Returns the kind of the mark for a past time. */
export function kindOf({ outcome, status }: SlotWithStatus): MarkKind {
  if (outcome !== "run") return outcome;
  switch (status) {
    case undefined:
      return "started";
    case "success":
    case "running":
    case "waiting":
      return status;
    default:
      return "failed";
  }
}

function joinNear(marks: readonly Mark[]): Mark[] {
  const joined: Mark[] = [];
  const latest = new Map<Mark["kind"], Mark>();
  // A mark that follows its neighbor closely prolongs the neighbor's band.

  for (const mark of marks) {
    const near = latest.get(mark.kind);
    const grain = mark.kind === "upcoming" ? UPCOMING_GRAIN : GRAIN;
    if (near === undefined || mark.place - (near.end ?? near.place) >= grain) {
      const own = { ...mark };
      joined.push(own);
      latest.set(mark.kind, own);
      continue;
    }
    near.count += mark.count;
    near.end = mark.place;
    near.executionId = mark.executionId ?? near.executionId;
    if (near.reason !== mark.reason) near.reason = null;
  }
  return joined;
}

/**
 * Returns true if it is certain that a schedule has no times within a period. `knownTo` is the latest known next time in
 * milliseconds since the epoch, or null if all next times are known.
 */
export function isKnownEmpty(
  schedule: { slots: readonly SlotBody[]; upcoming: readonly string[] },
  { day, knownTo }: { day: Stretch; knownTo: number | null },
): boolean {
  return (knownTo === null || knownTo >= day.to) && toMarks(schedule, day).length === 0;
}

/** Returns a summary of the marks: `3 runs, 1 skipped, 2 missed; next 12:30`. */
export function describeMarks(marks: readonly Mark[], formatTime: (at: number) => string): string {
  const count = (kind: Mark["kind"]) =>
    marks.filter((mark) => mark.kind === kind).reduce((sum, mark) => sum + mark.count, 0);
  const runs = RUN_OUTCOMES.reduce((sum, kind) => sum + count(kind), 0);
  const amiss = (["failed", "waiting", "running"] as const).filter((kind) => count(kind) > 0)
    .map((kind) => `${count(kind)} ${kind}`);
  const parts = [
    `${runs} ${runs === 1 ? "run" : "runs"}${amiss.length === 0 ? "" : ` (${amiss.join(", ")})`}`,
    ...(["skipped", "missed"] as const).map((kind) => `${count(kind)} ${kind}`),
  ];
  const next = marks.find(({ kind }) => kind === "upcoming");
  return `${parts.join(", ")}${next === undefined ? "" : `; next ${formatTime(next.at)}`}`;
}

/**
 * Returns the times within a period that get a label, by the local clock: every ten minutes of an hour, every third hour of a
 * day, and every midnight of a week.
 */
export function labelsWithin({ from, to }: Stretch): number[] {
  const times: number[] = [];
  const isShort = to - from <= HOUR_MS;
  const hours = to - from > DAY_MS ? 24 : 3;
  // Time zones differ by quarters of an hour, so each quarter is checked for a full local hour.
  const step = isShort ? 10 * MINUTE_MS : HOUR_MS / 4;
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const date = new Date(at);
    if (isShort || (date.getMinutes() === 0 && date.getHours() % hours === 0)) times.push(at);
  }
  return times;
}
