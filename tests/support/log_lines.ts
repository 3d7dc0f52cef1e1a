// A service log in memory that a test can read.
import type { LogLevel, ServiceLog } from "../../runtime/service_log/service_log.ts";

export interface LogLine {
  level: LogLevel;
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** A ServiceLog that keeps its lines in memory. */
export class LogLines implements ServiceLog {
  readonly lines: LogLine[] = [];

  write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level, message, fields });
  }
}
