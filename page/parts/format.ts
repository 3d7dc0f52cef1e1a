// Formats numbers and times in the language and the time zone of the browser.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";

/** Formats a duration: `400 ms`, `1.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`, `3 d 1 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return join(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return join(hours, "h", minutes % 60, "min");
  return join(Math.floor(hours / 24), "d", hours % 24, "h");
}

function join(great: number, greatUnit: string, small: number, smallUnit: string): string {
  return `${great} ${greatUnit}${small === 0 ? "" : ` ${small} ${smallUnit}`}`;
}

/** Formats the time from `now` to `at` in one unit: `just now`, `in 5 min`, `3 h ago`. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size < 5 * SECOND_MS) return distance > 0 ? "in a moment" : "just now";
  const [unit, step] = size < 1.5 * MINUTE_MS
    ? ["s", SECOND_MS]
    : size < 1.5 * HOUR_MS
    ? ["min", MINUTE_MS]
    : size < 1.5 * DAY_MS
    ? ["h", HOUR_MS]
    : ["d", DAY_MS];
  // Rounds past times down, so that `2 min ago` fits a duration of 2 min 40 s.
  return distance > 0
    ? `in ${Math.round(size / step)} ${unit}`
    : `${Math.floor(size / step)} ${unit} ago`;
}

/** Formats a count: `1,234` below ten thousand, then `12.3k`, `4.6M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return new Intl.NumberFormat().format(count);
  const options = { notation: "compact", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, options).format(count);
}

/** Formats a count in full, for a column of numbers: `1,234,567`. */
export function formatWhole(count: number): string {
  return new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 }).format(count);
}

/**
 * Formats a cost with two decimals, and a cost below $0.10 with up to four, for two significant digits: `$1.25`, `$0.0042`.
 * Returns `unknown` for null.
 */
export function formatCost(usd: number | null): string {
  return usd === 0 ? "$0" : toCostFormat([usd])(usd);
}

/** Returns a function that formats the costs of a column, all with the number of decimals that the smallest cost needs. */
export function toCostFormat(column: readonly (number | null)[]): (usd: number | null) => string {
  const digits = Math.max(2, ...column.map((usd) => decimalsOf(usd ?? 0)));
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat(undefined, options);
  return (usd) => {
    if (usd === null) return "unknown";
    return usd > 0 && usd < 0.0001 ? "under $0.0001" : `$${format.format(usd)}`;
  };
}

function decimalsOf(usd: number): number {
  return usd === 0 || usd >= 1 ? 2 : Math.min(4, 1 - Math.floor(Math.log10(usd)));
}

type FormatTime = (at: number) => string;

const timeFormat = (options: Intl.DateTimeFormatOptions, locale?: string): FormatTime => (at) =>
  new Intl.DateTimeFormat(locale, options).format(at);

/** Formats a date and a time with seconds. */
export const formatMoment: FormatTime = timeFormat({ dateStyle: "medium", timeStyle: "medium" });

/** Formats a date: `Saturday, January 31, 2026`. */
export const formatDate: FormatTime = timeFormat({ dateStyle: "full" });

/** Formats a date and a time without seconds. */
export const formatMinute: FormatTime = timeFormat({ dateStyle: "medium", timeStyle: "short" });

/** Formats a time of day in every language as `14:05:09`. */
export const formatSeconds: FormatTime = timeFormat({ timeStyle: "medium" }, "en-GB");

/** Formats an hour: `3 PM`, `15`. */
export const formatHour: FormatTime = timeFormat({ hour: "numeric" });

/** Formats a time of day with hours and minutes. */
export const formatClock: FormatTime = timeFormat({ hour: "numeric", minute: "2-digit" });

const RECENT = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;

/** Formats a recent time: `Jan 31, 8:30 AM`. */
export const formatRecent: FormatTime = timeFormat(RECENT);

/** Formats a recent period: `Jan 31, 8:30 – 9:15 AM`. */
export function formatRecentRange(from: number, to: number): string {
  return new Intl.DateTimeFormat(undefined, RECENT).formatRange(from, to);
}

/** Returns the local day of a time as used in addresses: `2026-01-31`. */
export function toDayName(at: number): string {
  const date = new Date(at);
  const padded = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

/** Returns the time zone of the shown times: `Europe/Berlin`. */
export function zoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Formats the day and the month of `2026-01-31`. */
export function formatDay(date: string): string {
  const format = timeFormat({ day: "numeric", month: "short", timeZone: "UTC" });
  return format(Date.parse(`${date}T00:00:00Z`));
}

/** Formats a count with its noun: `1 run`, `3 runs`. */
export function formatNumberOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
