// The line of one schedule: what became of its times, and when it comes next, as places in a stretch of time.
import { HOUR_MS } from "../../base/time_units.ts";
import type { ExecutionStatus } from "../../runtime/executions/states.ts";
import type { SlotBody } from "../../api/schemas/scheduler_schemas.ts";

/** A stretch of time; milliseconds since the epoch. */
export interface Stretch {
  from: number;
  to: number;
}

/** What a mark tells: a run is told by how it is or ended. One of which too little is known has only started. */
export type MarkKind = Exclude<SlotBody["outcome"], "run"> | RunOutcome | "upcoming";
const RUN_OUTCOMES = ["success", "failed", "running", "waiting", "started"] as const;
type RunOutcome = typeof RUN_OUTCOMES[number];

/** A time with the status of the execution that it started, where that is known. */
export type SlotWithStatus = SlotBody & { status?: ExecutionStatus | undefined };

/** A mark on the line. */
export interface Mark {
  /** 0 at the beginning of the stretch, 1 at its end. */
  place: number;
  kind: MarkKind;
  at: number;
  /** How many times one mark stands for. */
  count: number;
  reason: string | null;
  /** The latest execution that it stands for. */
  executionId: number | null;
}

/** Marks of one kind that are nearer to each other, as a share of the stretch, are one: nobody could tell them apart. */
const GRAIN = 1 / 288;

/** The marks of a schedule within a stretch, in the order of time. */
export function toMarks(
  schedule: { slots: readonly SlotWithStatus[]; upcoming: readonly string[] },
  { from, to }: Stretch,
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
  return joinNear([...past, ...next].filter(isInside).sort((a, b) => a.at - b.at));
}

/** The kind of mark of a time that has passed. */
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
  for (const mark of marks) {
    const near = latest.get(mark.kind);
    if (near === undefined || mark.place - near.place >= GRAIN) {
      const own = { ...mark };
      joined.push(own);
      latest.set(mark.kind, own);
      continue;
    }
    near.count += mark.count;
    near.executionId = mark.executionId ?? near.executionId;
    if (near.reason !== mark.reason) near.reason = null;
  }
  return joined;
}

/**
 * Whether a schedule is known to have no times within a stretch. `knownTo`: where its times to come end that are known,
 * in milliseconds since the epoch; null where all are.
 */
export function isKnownEmpty(
  schedule: { slots: readonly SlotBody[]; upcoming: readonly string[] },
  { day, knownTo }: { day: Stretch; knownTo: number | null },
): boolean {
  return (knownTo === null || knownTo >= day.to) && toMarks(schedule, day).length === 0;
}

/** `3 runs, 1 skipped, 2 missed; next 12:30`: the line for those who do not see it. */
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

/** The full hours within a stretch at which the line is labelled: every third one by the wall clock. */
export function hoursWithin({ from, to }: Stretch): number[] {
  const hours: number[] = [];
  // Zones lie quarters of an hour apart: the next full local hour is one of the next four quarters.
  for (let at = Math.ceil(from / (HOUR_MS / 4)) * (HOUR_MS / 4); at <= to; at += HOUR_MS / 4) {
    const date = new Date(at);
    if (date.getMinutes() === 0 && date.getHours() % 3 === 0) hours.push(at);
  }
  return hours;
}
