// A service log that a test reads back.
import type { LogLevel, ServiceLog } from "../../runtime/service_log/service_log.ts";

export interface LogLine {
  level: LogLevel;
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** Keeps what was written. */
export class LogLines implements ServiceLog {
  readonly lines: LogLine[] = [];

  write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level, message, fields });
  }
}
