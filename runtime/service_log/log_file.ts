// The service log as a file: one line an event, rotated at 5 MB, three old files kept.
import type { LogRecord } from "@logtape/logtape";
import { toTimestamp } from "../clock.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";
import { isFileFailure } from "../files/unreadable.ts";

const MAX_BYTES = 5 * 1024 * 1024;
/** The package counts them without the file itself. */
const OLD_FILES = 3;

/** A log that must be closed. */
export interface LogFile extends ServiceLog, Disposable {}

/**
 * Opens (and appends to) the log file. Every line is on its way to the disk when `write` returns; one that the file
 * system refuses is lost: see survivingLog.
 */
export async function openLogFile(path: string): Promise<LogFile> {
  const { getRotatingFileSink } = await import("@logtape/file");
  // Rotation makes new files; the state directory is private, so their mode needs no help beyond the first.
  (await Deno.open(path, { create: true, append: true, mode: 0o600 })).close();
  const sink = getRotatingFileSink(path, {
    maxSize: MAX_BYTES,
    maxFiles: OLD_FILES,
    bufferSize: 0,
    formatter: (record: LogRecord) => `${String(record.message[0])}\n`,
  });
  const write: ServiceLog["write"] = (level, message, fields) => {
    const now = Date.now();
    sink({
      category: ["inkling"],
      level: level === "warn" ? "warning" : level,
      message: [formatLogLine({ at: now, level, message, ...(fields && { fields }) })],
      rawMessage: message,
      timestamp: now,
      properties: {},
    });
  };
  return {
    ...survivingLog({ write }),
    [Symbol.dispose]: () => sink[Symbol.dispose](),
  };
}

/** A log whose lines may be lost to the file system (a full disk, for one); the next one that is not tells how many. */
export function survivingLog(log: ServiceLog): ServiceLog {
  let lost = 0;
  return {
    write(level, message, fields) {
      try {
        if (lost > 0) {
          log.write("warn", "Lines of this log were lost: it could not be written", { lost });
        }
        lost = 0;
        log.write(level, message, fields);
      } catch (error) {
        // Whoever tells of a failure must not fail for it.
        if (!isFileFailure(error)) throw error;
        lost++;
      }
    },
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
