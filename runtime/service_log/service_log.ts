// The service's own log: what happened around the executions. Where it goes is the composition root's choice.

/** From the least important to the most. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** How important a line is. */
export type LogLevel = typeof LOG_LEVELS[number];

/** One line of the log. Field values are shown as `key=value`; an Error shows its message, and its stack on `error`. */
export interface ServiceLog {
  /** Lines below this level are dropped before anything is done with them; all are kept where it is absent. */
  readonly level?: LogLevel;
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}
