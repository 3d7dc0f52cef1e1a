// Formats times and durations for people.
import { formatDuration } from "../../base/durations.ts";
import { formatLocal } from "../../present/local_time.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";

/** Formats an elapsed time in whole seconds, such as `0s`, `12s` or `2m 05s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  return seconds < 60 ? `${seconds}s` : formatDuration(seconds * SECOND_MS);
}

/**
 * Formats a time relative to `now`, such as `just now`, `5 min ago`, `3 h ago`, `2 d ago` or `in 5 min`. A time that is
 * more than a month away becomes a local date.
 */
export function formatRelative(timestamp: string, now: number): string {
  const at = Date.parse(timestamp);
  const distance = Math.abs(now - at);
  if (distance < MINUTE_MS) return at > now ? "in a moment" : "just now";
  if (distance >= 31 * DAY_MS) return formatLocal(timestamp).slice(0, 10);
  const [size, unit] = distance < 2 * HOUR_MS
    ? [MINUTE_MS, "min"] as const
    : distance < DAY_MS
    ? [HOUR_MS, "h"] as const
    : [DAY_MS, "d"] as const;
  const text = `${Math.floor(distance / size)} ${unit}`;
  return at > now ? `in ${text}` : `${text} ago`;
}
