// Converts between instants and wall times of a time zone. A wall time is the date and time that a local clock shows, as
// the milliseconds since the epoch that a UTC clock would have for this date and time.
import { DAY_MS } from "../../../base/time_units.ts";

/** A time range with a constant offset from UTC: from `start` up to, but excluding, `end`. All numbers are milliseconds. */
export interface Stretch {
  start: number;
  end: number;
  offset: number;
}

/** Wall times that the local clock skips: after `after`, and before `until`. */
export interface Gap {
  after: number;
  until: number;
}

/** A duration that is longer than every offset from UTC and every jump of a local clock. */
const REACH_MS = 2 * DAY_MS;

/** Converts between instants and wall times of one IANA time zone. */
export class LocalTime {
  readonly #timeZone: string;
  /** The stretches read so far. Most zones have at most two per year. */
  readonly #stretches: Stretch[] = [];
  #latest: Stretch | undefined;

  /** Creates a converter. Its methods throw a RangeError if the system does not know the zone. */
  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /**
   * Returns the highest wall time that the local clock has shown up to an instant. After the clock was set back, that is
   * later than the present wall time.
   */
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

  /**
   * Returns the first instant at which the local clock shows `wall` or a later time. For a time in a gap that is the end of
   * the gap.
   */
  firstInstant(wall: number): number {
    let stretch = this.stretchAt(wall - REACH_MS);
    for (;;) {
      const instant = wall - stretch.offset;
      if (instant < stretch.end) return Math.max(instant, stretch.start);
      stretch = this.stretchAt(stretch.end);
    }
  }

  /** Returns the gaps that end after `from` and not after `to`. Both are instants. */
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

  /** Returns the stretch that contains an instant. */
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
    // "previous" excludes its argument, so the next millisecond is passed: a stretch may start exactly at `instant`.
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
