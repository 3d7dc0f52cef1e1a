// Parses moments in the past, such as `22:00`, `yesterday` and `2h`.
import { parseDuration } from "../../base/durations.ts";
import { toTimestamp } from "../../base/clock.ts";
import { DAY_MS } from "../../base/time_units.ts";
import { misuse } from "../context/exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { MOMENT_FORMS } from "./value_type.ts";

function readMoment(text: string, now: number): number | undefined {
  const duration = parseDuration(text);
  if (duration !== undefined) return now - duration;
  if (text === "today") return midnight(now, 0);
  if (text === "yesterday") return midnight(now, -1);
  const time = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (time !== null) {
    const at = new Date(now);
    at.setHours(Number(time[1]), Number(time[2]), 0, 0);
    if (at.getTime() > now) at.setDate(at.getDate() - 1);
    return at.getTime();
  }
  // Adds a time, because Date.parse() interprets a date without a time as UTC.
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return readDate(`${text}T00:00`, text);
  const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(:\d\d(\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/i.exec(
    text,
  );
  return written === null
    ? undefined
    : readDate(`${written[1]}T${written[2]}${written[5] ?? ""}`, written[1] ?? "");
}

/**
 * Parses a date. Returns undefined for a day that does not exist, because Date would convert 30 February to a day in March.
 */
function readDate(text: string, day: string): number | undefined {
  const noon = new Date(`${day}T12:00Z`);
  if (Number.isNaN(noon.getTime()) || !noon.toISOString().startsWith(day)) return undefined;
  return Date.parse(text);
}

function midnight(now: number, days: number): number {
  const at = new Date(now);
  at.setHours(0, 0, 0, 0);
  // Calculates with noon, because a change to or from summer time at night moves midnight by an hour.
  const noon = new Date(at.getTime() + days * DAY_MS + DAY_MS / 2);
  noon.setHours(0, 0, 0, 0);
  return noon.getTime();
}

/**
 * Parses the value of an option as a moment and returns it in milliseconds since the epoch, or undefined without a text. A
 * duration is subtracted from `now`. A day means the beginning of the day. A time of day means the last time when the clock
 * showed it. Without a time zone, the local zone applies. Throws CommandFailure for other texts.
 */
export function readMomentOption(
  option: string,
  text: string | undefined,
  now: number,
): number | undefined {
  if (text === undefined) return undefined;
  const moment = readMoment(text.trim(), now);
  if (moment !== undefined && Number.isFinite(moment)) return moment;
  throw misuse(
    `${option} ${toOneLine(text)} is not understood. It must be a moment: ${MOMENT_FORMS}.`,
  );
}

/** Returns the values of --since and --until as timestamps of the API. Throws CommandFailure for an invalid moment. */
export function readSpan(
  options: { since?: string; until?: string },
  now: number,
): { since: string | undefined; until: string | undefined } {
  const read = (name: "since" | "until") => {
    const at = readMomentOption(`--${name}`, options[name], now);
    return at === undefined ? undefined : toTimestamp(at);
  };
  return { since: read("since"), until: read("until") };
}
