// The service log as a file: one line an event, rotated at 5 MB, three old files kept.
import type { LogRecord } from "@logtape/logtape";
import { toTimestamp } from "./clock.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";

const MAX_BYTES = 5 * 1024 * 1024;
/** The file itself and three before it. */
const MAX_FILES = 4;

/** A log that must be closed. */
export interface LogFile extends ServiceLog, Disposable {}

/** Opens (and appends to) the log file. Every line is on its way to the disk when `write` returns. */
export async function openLogFile(path: string): Promise<LogFile> {
  const { getRotatingFileSink } = await import("@logtape/file");
  // Rotation makes new files; the state directory is private, so their mode needs no help beyond the first.
  (await Deno.open(path, { create: true, append: true, mode: 0o600 })).close();
  const sink = getRotatingFileSink(path, {
    maxSize: MAX_BYTES,
    maxFiles: MAX_FILES,
    bufferSize: 0,
    formatter: (record: LogRecord) => `${String(record.message[0])}\n`,
  });
  return {
    write(level, message, fields) {
      const now = Date.now();
      sink({
        category: ["inkling"],
        level: level === "warn" ? "warning" : level,
        message: [formatLogLine({ at: now, level, message, ...(fields && { fields }) })],
        rawMessage: message,
        timestamp: now,
        properties: {},
      });
    },
    [Symbol.dispose]: () => sink[Symbol.dispose](),
  };
}

/** `2026-01-01T00:00:00.000Z INFO  message key=value`; line breaks inside values are escaped. */
export function formatLogLine(
  line: {
    at: number;
    level: LogLevel;
    message: string;
    fields?: Readonly<Record<string, unknown>>;
  },
): string {
  const fields = Object.entries(line.fields ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${formatValue(value)}`);
  const message = line.message.replaceAll(/[\r\n]+/g, " ");
  return `${toTimestamp(line.at)} ${line.level.toUpperCase().padEnd(5)} ${message}${
    fields.join("")
  }`;
}

function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
