// Parses the lines of the service's log.

/** The levels of the log. */
export const LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"] as const;
export type Level = typeof LEVELS[number];

/** A line of the log. `at` and `level` are null for a line in another format, such as a stack trace. */
export interface LogLine {
  at: string | null;
  level: Level | null;
  text: string;
}

const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (DEBUG|INFO|WARN|ERROR) +(.*)$/s;

/** Parses one line of the log. */
export function parseLogLine(line: string): LogLine {
  const [, at, level, text] = LINE.exec(line) ?? [];
  if (at === undefined || level === undefined || text === undefined) {
    return { at: null, level: null, text: line };
  }
  return { at, level: level as Level, text };
}

/** Returns true if a line has this level or a higher one, or no level. */
export function isAtLeast(line: LogLine, level: Level): boolean {
  return line.level === null || LEVELS.indexOf(line.level) >= LEVELS.indexOf(level);
}
