// The service's own log, besides the logs of executions. app/app.ts chooses its sink.

/** From the least to the most important. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** The importance of a line. */
export type LogLevel = typeof LOG_LEVELS[number];

/**
 * Writes lines to the log. Fields are shown as `key=value`; an Error shows its message, or its stack on level `error`.
 */
export interface ServiceLog {
  /** Lines below this level are dropped before they are formatted; absent: all lines are kept. */
  readonly level?: LogLevel;
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}
