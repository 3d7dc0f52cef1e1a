// Parses the shell's variables for the service. Returns the value, or an Error whose message is a sentence.
import { parseDuration } from "../base/durations.ts";
import type { LogLevel } from "../runtime/service_log/service_log.ts";

/** Parses INKLING_LOG_LEVEL, the lowest level of logged lines. Requests are logged on `debug`. */
export function parseLogLevel(text: string | undefined): LogLevel {
  const level = text === undefined || text === "" ? "info" : text.toLowerCase();
  if (level === "debug" || level === "info" || level === "warn" || level === "error") return level;
  throw new Error(
    `INKLING_LOG_LEVEL is not a valid level: ${text} (write debug, info, warn or error)`,
  );
}

/**
 * Parses INKLING_IDLE_TIMEOUT. Returns the milliseconds of `90s`, `5m` or a number of seconds; undefined if the variable is
 * not set.
 */
export function parseIdleTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new Error(
    `INKLING_IDLE_TIMEOUT is not a valid duration: ${text} (write 90s, 5m, or seconds)`,
  );
}
