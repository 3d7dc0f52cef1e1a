// Since when a person is told what happened: since this browser last looked, or as they choose.
import { DAY_MS, MINUTE_MS } from "../../base/time_units.ts";

/** What can be chosen. */
export const SPANS = ["look", "today", "day", "week"] as const;
export type Span = typeof SPANS[number];

/** A look at the page. Milliseconds since the epoch. */
export interface Look {
  /** When the look before it ended. */
  since: number;
  /** When the page was last in sight. */
  seenAt: number;
}

/** Who comes back within this time is still looking: a page that is loaded again tells the same. */
const SAME_LOOK_MS = 30 * MINUTE_MS;
const LONGEST_DAYS = 7;

/** The look that `now` is part of, by what was kept of the latest one; the first begins a day ago. */
export function toLook(kept: string | null, now: number): Look {
  const [since = NaN, seenAt = NaN] = (kept ?? "").split(" ").map(Number);
  const isReadable = since <= seenAt && seenAt <= now;
  if (!isReadable) return { since: now - DAY_MS, seenAt: now };
  return { since: now - seenAt < SAME_LOOK_MS ? since : seenAt, seenAt: now };
}

/** A look as it is kept. */
export function fromLook({ since, seenAt }: Look): string {
  return `${since} ${seenAt}`;
}

/** Where a span begins, in milliseconds since the epoch. No look reaches back further than a week. */
export function beginOf(span: Span, { since, now }: { since: number; now: number }): number {
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
