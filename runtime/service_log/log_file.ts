// The service log as a file: one line an event, rotated at 5 MB, three old files kept.
import { toTimestamp } from "../clock.ts";
import type { LogLevel, ServiceLog } from "./service_log.ts";
import { isFileFailure } from "../files/unreadable.ts";
import { RotatingFile } from "./rotating_file.ts";

const MAX_BYTES = 5 * 1024 * 1024;
/** Beside the file itself. */
const OLD_FILES = 3;

/**
 * What a terminal obeys and what nobody sees; but the joiners that words and emoji are written with. The log is read in
 * terminals, and a tool that meets a NUL takes it for no text.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A log that must be closed. */
export interface LogFile extends ServiceLog, Disposable {}

/** Opens (and appends to) the log file. A line that the file system refuses is lost: see survivingLog. */
export function openLogFile(path: string): LogFile {
  const file = RotatingFile.open(path, { maxBytes: MAX_BYTES, oldFiles: OLD_FILES });
  const write: ServiceLog["write"] = (level, message, fields) =>
    file.writeLine(formatLogLine({ at: Date.now(), level, message, ...(fields && { fields }) }));
  return {
    ...survivingLog({ write }),
    [Symbol.dispose]: () => file[Symbol.dispose](),
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

/** `2026-01-01T00:00:00.000Z INFO  message key=value`; what would break or bend the line is escaped. */
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
  const isPlain = /^[^\s"=]+$/.test(text) && text.search(UNSEEN) === -1;
  return isPlain ? text : escapeUnseen(JSON.stringify(text));
}

/** As JSON writes it: `\u001b`. */
function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    character.split("")
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""));
}
