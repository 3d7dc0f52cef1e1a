// Parses the line counts of `deno coverage --lcov`: https://ltp.sourceforge.net/coverage/lcov/geninfo.1.php

/** The execution counts of a file's lines. Lines without code, such as types, have no count. */
export interface FileCoverage {
  /** The path of the file; absolute in a parsed report. */
  path: string;
  /** Execution counts by line number. The first line is 1. */
  lines: ReadonlyMap<number, number>;
}

/** Returns the files of a report, in the report's order. Throws TypeError for text that is no such report. */
export function parseLcov(text: string): FileCoverage[] {
  const files: FileCoverage[] = [];
  let lines: Map<number, number> | undefined;
  for (const record of text.split("\n")) {
    const [key, value = ""] = splitOnce(record, ":");
    if (key === "SF") {
      lines = new Map();
      files.push({ path: value, lines });
    } else if (key === "DA") {
      const counts = /^(\d+),(\d+)/.exec(value);
      if (counts === null || lines === undefined) {
        throw new TypeError(`Cannot read a coverage report: ${JSON.stringify(record)}`);
      }
      lines.set(Number(counts[1]), Number(counts[2]));
    }
  }
  return files;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
