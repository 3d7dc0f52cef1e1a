// Redaction in front of a log: no secret reaches the sink.
import type { Redactor } from "../secrets/redactor.ts";
import { LOG_LEVELS, type LogLevel, type ServiceLog } from "./service_log.ts";

/** Redacts lines and passes them to a sink. An Error becomes its message, or its stack on level `error`. */
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
