// Parses and formats durations: `30s`, `5m`, `1h30m`, `500ms`.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time_units.ts";

const UNIT_MS = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
} as const;

type Unit = keyof typeof UNIT_MS;

/** Matches a count with its unit as a word, such as `5 minutes`. */
const WORDED = /(\d+) ?(weeks?|days?|hours?|minutes?|mins?|seconds?|secs?)(?: (?=\d)|$)/gi;

/**
 * Returns the milliseconds of a duration, or undefined for an invalid text. The units are `w d h m s ms`, largest first,
 * each at most once and with a whole number: `90s`, `1h30m`. Units may be words: `5 minutes`, `1 hour 30 minutes`. A number
 * without a unit, a sign or a fraction is invalid.
 */
export function parseDuration(written: string): number | undefined {
  const text = written.replaceAll(WORDED, (_, count, word) => count + word[0].toLowerCase());
  if (!/^(\d+w)?(\d+d)?(\d+h)?(\d+m(?!s))?(\d+s)?(\d+ms)?$/.test(text) || text === "") {
    return undefined;
  }
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[wdhms])/g)) {
    total += Number(count) * UNIT_MS[unit as Unit];
  }
  return Number.isSafeInteger(total) ? total : undefined;
}

/** The units that writeDuration() uses, largest first. Weeks are written as days. */
const WRITTEN_UNITS = ["d", "h", "m", "s"] as const;

/**
 * Returns milliseconds as an exact duration for an agent file: 90 seconds are `1m30s`. parseDuration() parses the result.
 */
export function writeDuration(ms: number): string {
  let text = "";
  let rest = ms;
  for (const unit of WRITTEN_UNITS) {
    const count = Math.floor(rest / UNIT_MS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * UNIT_MS[unit];
  }
  if (rest > 0) text += `${rest}ms`;
  return text || "0s";
}

/** Returns a duration for people in its two largest non-zero units: `850ms`, `3.2s`, `2m 05s`, `1h 02m`, `3d 4h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  // Round before the comparison, so that 59,999 ms becomes a minute and not 60.0 seconds.
  if (Math.round(ms / 100) < 600) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${twoDigits(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
