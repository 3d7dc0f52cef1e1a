// The service log as a file: one line per event, rotated at 5 MB, with three old files.
import { type Clock, toTimestamp } from "../../base/clock.ts";
import { isFileFailure } from "../../base/files/unreadable.ts";
import { escapeUnseen } from "../../base/text/unseen_characters.ts";
import { RotatingFile } from "./rotating_file.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";

const MAX_BYTES = 5 * 1024 * 1024;
/** Besides the current file. */
const OLD_FILES = 3;

/** A log that must be closed. */
export interface LogFile extends ServiceLog, Disposable {}

export interface LogFileOptions {
  clock: Clock;
  /** Lines below this level are dropped; undefined keeps all lines. */
  level?: LogLevel | undefined;
  /** Called with each line as written to the file. */
  onLine?: ((line: string) => void) | undefined;
}

/**
 * Opens the log file and appends to it. A line that the file system refuses is lost: see createSurvivingWriter(). Every line
 * survives this process. Warnings and errors are also flushed to the disk, which may take milliseconds.
 */
export function openLogFile(path: string, { clock, level, onLine }: LogFileOptions): LogFile {
  const file = RotatingFile.open(path, { maxBytes: MAX_BYTES, oldFiles: OLD_FILES });
  const format = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) =>
    formatLogLine({ at: clock.now(), level, message, ...(fields && { fields }) });
  const writeLine = createSurvivingWriter((line, options) => file.writeLine(line, options), {
    describeLoss: (lost) => format("warn", "Some log lines could not be written", { lost }),
  });
  return {
    ...(level && { level }),
    write(level, message, fields) {
      const line = format(level, message, fields);
      writeLine(line, { flush: level === "warn" || level === "error" });
      onLine?.(line);
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/**
 * Returns a writer that survives a file system error, such as a full disk. The first line that can be written again
 * follows a line with the number of lost ones.
 */
export function createSurvivingWriter(
  write: (line: string, options?: { flush: boolean }) => void,
  { describeLoss }: { describeLoss: (lost: number) => string },
): (line: string, options?: { flush: boolean }) => void {
  let lost = 0;
  return (line, options) => {
    try {
      if (lost > 0) write(describeLoss(lost));
      lost = 0;
      write(line, options);
    } catch (error) {
      // The error reporting itself must not fail on a file error.
      if (!isFileFailure(error)) throw error;
      lost++;
    }
  };
}

/**
 * Formats `2026-01-01T00:00:00.000Z INFO  message key=value`. Invisible and control characters are escaped: the log is
 * read in terminals, and tools take a file with a NUL for binary.
 */
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
  const message = escapeUnseen(line.message.replaceAll(/[\r\n]+/g, " "));
  return `${toTimestamp(line.at)} ${line.level.toUpperCase().padEnd(5)} ${message}${
    fields.join("")
  }`;
}

function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  const isPlain = /^[^\s"=]+$/.test(text) && escapeUnseen(text) === text;
  return isPlain ? text : escapeUnseen(JSON.stringify(text));
}
