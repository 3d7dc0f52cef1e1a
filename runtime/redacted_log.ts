// The service log behind the redaction: nothing reaches a sink that still holds a secret.
import type { Redactor } from "./events/redactor.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";

/** Passes lines on to a sink, redacted. Errors become their message and, on `error`, their stack. */
export class RedactedLog implements ServiceLog {
  readonly #sink: ServiceLog;
  readonly #redactor: Redactor;

  constructor(sink: ServiceLog, redactor: Redactor) {
    this.#sink = sink;
    this.#redactor = redactor;
  }

  write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const shown = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        this.#redactor.redactValue(value instanceof Error ? describe(value, level) : value),
      ]),
    );
    this.#sink.write(level, this.#redactor.redact(message), shown);
  }
}

function describe(error: Error, level: LogLevel): string {
  const own = level === "error" ? error.stack ?? error.message : error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${describe(error.cause, level)}` : own;
}
