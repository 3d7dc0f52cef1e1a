// The interface of the service's own log, which is separate from the logs of executions. app/app.ts chooses its sink.

/** The levels of log lines, from the least to the most important. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** The level of a log line. */
export type LogLevel = typeof LOG_LEVELS[number];

/**
 * Writes lines to the service log. Fields are shown as `key=value`. An Error is shown with its message, or with its stack
 * on level `error`.
 */
export interface ServiceLog {
  /**
   * The lowest level of logged lines; absent if all lines are logged. Lower lines are dropped before they are formatted.
   */
  readonly level?: LogLevel;
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}
