// Local time of a zone: what a clock on the wall there shows. Wall times are milliseconds as if the wall showed UTC.
import { DAY_MS } from "../../../base/time_units.ts";

/** A stretch of time in which the zone's offset stays the same: from `start` up to, but without, `end`. */
export interface Stretch {
  start: number;
  end: number;
  offset: number;
}

/** Wall times that are never shown, because the clock jumps over them: above `after`, up to but without `until`. */
export interface Gap {
  after: number;
  until: number;
}

/** Further than any zone is from UTC, and further than any zone's clock ever jumped. */
const REACH_MS = 2 * DAY_MS;

/** The wall clock of one IANA zone. */
export class LocalTime {
  readonly #timeZone: string;
  /** Those asked for so far: two a year in most zones. */
  readonly #stretches: Stretch[] = [];
  #latest: Stretch | undefined;

  /** Its methods throw a RangeError for a zone that the system does not know. */
  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** The highest wall time shown until this instant: where the clock was set back, one that it showed before. */
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

  /** The first instant at which the wall shows this or more: for a time in a gap, its end. */
  firstInstant(wall: number): number {
    let stretch = this.stretchAt(wall - REACH_MS);
    for (;;) {
      const instant = wall - stretch.offset;
      if (instant < stretch.end) return Math.max(instant, stretch.start);
      stretch = this.stretchAt(stretch.end);
    }
  }

  /** The gaps whose ends lie after `from`, until `to`. */
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

  /** The stretch of time around an instant. */
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
    // What begins right here is not before: "previous" leaves out the instant it is asked at.
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
