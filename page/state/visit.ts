// Calculates the period of the recap: the time since the last visit of this browser, or a chosen period.
import { DAY_MS, MINUTE_MS } from "../../base/time_units.ts";

/** The periods that a person can choose. `look` is the time since the last visit. */
export const SPANS = ["look", "today", "day", "week"] as const;
export type Span = typeof SPANS[number];

/** A visit to the page. Times are milliseconds since the epoch. */
export interface Visit {
  /** The end of the previous visit. */
  since: number;
  /** The last time at which the page was visible. */
  seenAt: number;
}

/** The time in milliseconds within which a return continues the visit, so that a reload shows the same recap. */
const SAME_VISIT_MS = 30 * MINUTE_MS;
const LONGEST_DAYS = 7;

/**
 * Returns the visit at `now`: the stored visit if it continues, otherwise a new visit. The first visit counts from a day
 * before.
 */
export function resumeVisit(kept: string | null, now: number): Visit {
  const [since = NaN, seenAt = NaN] = (kept ?? "").split(" ").map(Number);
  const isReadable = since <= seenAt && seenAt <= now;
  if (!isReadable) return { since: now - DAY_MS, seenAt: now };
  return { since: now - seenAt < SAME_VISIT_MS ? since : seenAt, seenAt: now };
}

/** Serializes a visit for storage. */
export function serializeVisit({ since, seenAt }: Visit): string {
  return `${since} ${seenAt}`;
}

/** Returns the start of a period in milliseconds since the epoch, at most a week before `now`. */
export function startOfSpan(span: Span, { since, now }: { since: number; now: number }): number {
  switch (span) {
    case "look":
      return Math.max(since, now - LONGEST_DAYS * DAY_MS);
    case "today":
      return new Date(now).setHours(0, 0, 0, 0);
    case "day":
      return now - DAY_MS;
    case "week":
      return now - LONGEST_DAYS * DAY_MS;
    default:
      return span satisfies never;
  }
}
