// Redacts the lines of a log before they reach its sink.
import type { Redactor } from "../secrets/redactor.ts";
import { LOG_LEVELS, type LogLevel, type ServiceLog } from "./service_log.ts";

/**
 * A log that redacts lines and passes them to a sink. Replaces an Error by its message, or by its stack on level `error`.
 */
export class RedactedLog implements ServiceLog {
  readonly #sink: ServiceLog;
  readonly #redactor: Redactor;
  readonly #lowest: number;

  constructor(sink: ServiceLog, redactor: Redactor) {
    this.#sink = sink;
    this.#redactor = redactor;
    this.#lowest = sink.level === undefined ? 0 : LOG_LEVELS.indexOf(sink.level);
  }

  write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (LOG_LEVELS.indexOf(level) < this.#lowest) return;
    const described = Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? describe(value, level) : value,
    ]);
    const shown = this.#redactor.redactValue({ message, fields: Object.fromEntries(described) });
    this.#sink.write(level, shown.message, shown.fields);
  }
}

function describe(error: Error, level: LogLevel): string {
  const own = level === "error" ? error.stack ?? error.message : error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${describe(error.cause, level)}` : own;
}
