// Writes the service log to a file: one line per event, rotated at 5 MB, with three old files.
import { type Clock, toTimestamp } from "../../base/clock.ts";
import { isFileFailure } from "../../base/files/unreadable.ts";
import { escapeUnseen } from "../../base/text/unseen_characters.ts";
import { RotatingFile } from "./rotating_file.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";

const MAX_BYTES = 5 * 1024 * 1024;
/** The number of old files, besides the current file. */
const OLD_FILES = 3;

/** A log with an open file, which must be disposed. */
export interface LogFile extends ServiceLog, Disposable {}

export interface LogFileOptions {
  clock: Clock;
  /** The lowest level of logged lines; undefined to log all lines. */
  level?: LogLevel | undefined;
  /** Called with each line, as it is written to the file. */
  onLine?: ((line: string) => void) | undefined;
}

/**
 * Opens the log file for appending. A line that the file system refuses is lost: see createSurvivingWriter(). Each line
 * survives a crash of this process. Warnings and errors are also flushed to the disk, which may take milliseconds.
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
 * Returns a function that writes a line and ignores file system errors, such as a full disk. Before the next line that can
 * be written, it adds a line with the number of lost lines.
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
      // The log must survive errors of the file system. Other errors are bugs.
      if (!isFileFailure(error)) throw error;
      lost++;
    }
  };
}

/**
 * Returns a line such as `2026-01-01T00:00:00.000Z INFO message key=value`. Escapes invisible and control characters: the
 * log is read in terminals, and tools treat a file with a NUL as binary.
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

/**
 * Logs each unhandled rejection as an error and prevents the end of the process, until the result is disposed. `target`
 * emits the events. Without it, one mistake in a run or a package would end the service with all its runs.
 */
export function logUnhandledRejections(
  log: ServiceLog,
  { target = globalThis }: { target?: EventTarget } = {},
): Disposable {
  const onRejection: EventListener = (event) => {
    event.preventDefault();
    const error: unknown = Reflect.get(event, "reason");
    log.write("error", "Unhandled error inside Inkling; please report it", {
      error,
    });
  };
  target.addEventListener("unhandledrejection", onRejection);
  return {
    [Symbol.dispose]: () => target.removeEventListener("unhandledrejection", onRejection),
  };
}
