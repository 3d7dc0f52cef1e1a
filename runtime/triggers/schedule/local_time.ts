// The local time of a time zone. A wall time is the time that a clock on the wall shows, in milliseconds as if it
// showed UTC.
import { DAY_MS } from "../../../base/time_units.ts";

/** A stretch of time with one offset from UTC: from `start` up to, but excluding, `end`. */
export interface Stretch {
  start: number;
  end: number;
  offset: number;
}

/** Wall times that the clock jumps over: above `after`, up to but excluding `until`. */
export interface Gap {
  after: number;
  until: number;
}

/** A distance above every offset from UTC and above every jump of a zone's clock. */
const REACH_MS = 2 * DAY_MS;

/** The wall clock of one IANA zone. */
export class LocalTime {
  readonly #timeZone: string;
  /** The stretches requested so far: two a year in most zones. */
  readonly #stretches: Stretch[] = [];
  #latest: Stretch | undefined;

  /** Methods throw a RangeError for a zone that the system does not know. */
  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** Returns the highest wall time shown up to this instant. It lies ahead of the clock after the clock was set back. */
  highestUntil(instant: number): number {
    let stretch = this.stretchAt(instant);
    let highest = instant + stretch.offset;
    while (stretch.start > instant - REACH_MS) {
      const last = stretch.start - 1;
      stretch = this.stretchAt(last);
      highest = Math.max(highest, last + stretch.offset);
    }
    return highest;
  }

  /** Returns the first instant at which the wall shows this time or a later one; for a time in a gap, the end of the gap. */
  firstInstant(wall: number): number {
    let stretch = this.stretchAt(wall - REACH_MS);
    for (;;) {
      const instant = wall - stretch.offset;
      if (instant < stretch.end) return Math.max(instant, stretch.start);
      stretch = this.stretchAt(stretch.end);
    }
  }

  /** Returns the gaps that end after `from`, up to `to`. */
  gapsIn({ from, to }: { from: number; to: number }): Gap[] {
    const gaps: Gap[] = [];
    for (let { end } = this.stretchAt(from); end <= to;) {
      const next = this.stretchAt(end);
      const after = this.highestUntil(end - 1);
      const until = end + next.offset;
      if (until > after + 1) gaps.push({ after, until });
      end = next.end;
    }
    return gaps;
  }

  /** Returns the stretch of time around an instant. */
  stretchAt(instant: number): Stretch {
    const holds = ({ start, end }: Stretch) => start <= instant && instant < end;
    if (this.#latest === undefined || !holds(this.#latest)) {
      this.#latest = this.#stretches.find(holds) ?? this.#readStretch(instant);
    }
    return this.#latest;
  }

  #readStretch(instant: number): Stretch {
    const at = (ms: number) =>
      Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(this.#timeZone);
    const here = at(instant);
    // A stretch that starts at this instant counts: "previous" excludes the instant passed to it.
    const start = at(instant + 1).getTimeZoneTransition("previous");
    const stretch = {
      start: start?.epochMilliseconds ?? -Infinity,
      end: here.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity,
      offset: Math.round(here.offsetNanoseconds / 1_000_000),
    };
    this.#stretches.push(stretch);
    return stretch;
  }
}
