// A line of the service's log, taken apart for the eye. What is no such line (the last words of a process) stays whole.

/** Levels as the log writes them. */
export const LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"] as const;
export type Level = typeof LEVELS[number];

/** A line; `at` and `level` are null where it has none. */
export interface LogLine {
  at: string | null;
  level: Level | null;
  text: string;
}

const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (DEBUG|INFO|WARN|ERROR) +(.*)$/s;

/** Takes a line apart. */
export function parseLogLine(line: string): LogLine {
  const [, at, level, text] = LINE.exec(line) ?? [];
  if (at === undefined || level === undefined || text === undefined) {
    return { at: null, level: null, text: line };
  }
  return { at, level: level as Level, text };
}

/** Whether a line is at this level or above; one without a level always is. */
export function isAtLeast(line: LogLine, level: Level): boolean {
  return line.level === null || LEVELS.indexOf(line.level) >= LEVELS.indexOf(level);
}
