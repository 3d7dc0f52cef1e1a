// The service log as a file: one line per event, rotated at 5 MB, three old files kept.
import { type Clock, toTimestamp } from "../../base/clock.ts";
import { isFileFailure } from "../../base/files/unreadable.ts";
import { escapeUnseen } from "../../base/text/unseen_characters.ts";
import { RotatingFile } from "./rotating_file.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";

const MAX_BYTES = 5 * 1024 * 1024;
/** Beside the file itself. */
const OLD_FILES = 3;

/** A log that must be closed. */
export interface LogFile extends ServiceLog, Disposable {}

/** What is written to the log file, and who sees it besides. */
export interface LogFileOptions {
  clock: Clock;
  /** Lines below this level are dropped; all are kept where it is undefined. */
  level?: LogLevel | undefined;
  /** Called with each line as it stands in the file. */
  onLine?: ((line: string) => void) | undefined;
}

/**
 * Opens (and appends to) the log file. A line that the file system refuses is lost: see survivingWriter(). Every line outlives
 * this process; warnings and errors are flushed to the disk as well, which takes some disks milliseconds.
 */
export function openLogFile(path: string, { clock, level, onLine }: LogFileOptions): LogFile {
  const file = RotatingFile.open(path, { maxBytes: MAX_BYTES, oldFiles: OLD_FILES });
  const format = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) =>
    formatLogLine({ at: clock.now(), level, message, ...(fields && { fields }) });
  const writeLine = survivingWriter((line, options) => file.writeLine(line, options), {
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
 * A writer of lines that may lose them to the file system (a full disk, for one): the next line that can be written comes
 * after one that says how many were lost.
 */
export function survivingWriter(
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
      // What reports failures must not fail because of one.
      if (!isFileFailure(error)) throw error;
      lost++;
    }
  };
}

/**
 * `2026-01-01T00:00:00.000Z INFO  message key=value`; what nobody sees and what a terminal obeys is escaped. The log is
 * read in terminals, and a tool that meets a NUL does not take it for text.
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
