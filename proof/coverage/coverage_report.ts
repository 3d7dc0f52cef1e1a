// Formats the coverage report: the files with low coverage, and a total for each counted folder.
import type { FileCoverage } from "./lcov.ts";

/** The minimum percentage of covered lines of a folder. Files with less are listed. */
export const WANTED_PERCENT = 90;

/** The folders whose lines are counted. */
export const COUNTED = ["runtime/", "server/"] as const;
/** Folders that are not counted: the page runs only in browser tests, which record no profile, and assets are no source. */
const NOT_COUNTED = ["page/", "server/dashboard/assets/", "server/docs_assets/"];

/** Returns true if the lines of a file are counted. `file` is relative to the repository. */
export function isCounted(file: string): boolean {
  return COUNTED.some((folder) => file.startsWith(folder)) &&
    !NOT_COUNTED.some((folder) => file.startsWith(folder));
}

/** The text of the report, and true if every folder reaches the minimum percentage. */
export interface CoverageReport {
  text: string;
  isEnough: boolean;
}

/**
 * Returns the report. The paths of `files` are relative to the repository; files outside the counted folders are ignored.
 */
export function reportCoverage(files: readonly FileCoverage[]): CoverageReport {
  const counted = files.filter(({ path }) => isCounted(path));
  const low = counted.filter((file) => percentOf([file]) < WANTED_PERCENT)
    .sort((a, b) => percentOf([a]) - percentOf([b]) || (a.path < b.path ? -1 : 1));
  const folders = COUNTED.map((folder) => ({
    folder,
    files: counted.filter(({ path }) => path.startsWith(folder)),
  }));
  return {
    text: [
      ...low.map((file) =>
        `${inPercent([file])}  ${file.path}: ${describeLines(missedLines(file))}`
      ),
      ...folders.map(({ folder, files }) =>
        `${inPercent(files)}  ${folder} in all: ${count(files, isRun)} of ${
          count(files, () => true)
        } lines, ${files.length} files`
      ),
    ].join("\n"),
    isEnough: folders.every(({ files }) => percentOf(files) >= WANTED_PERCENT),
  };
}

/** Returns the ranges [first, last] of lines of a file that no test ran. Lines without code do not end a range. */
export function missedLines({ lines }: FileCoverage): [number, number][] {
  const ranges: [number, number][] = [];
  let open: [number, number] | undefined;
  for (const [line, hits] of [...lines].sort(([a], [b]) => a - b)) {
    if (isRun(hits)) open = undefined;
    else if (open !== undefined) open[1] = line;
    else ranges.push(open = [line, line]);
  }
  return ranges;
}

function describeLines(ranges: readonly [number, number][]): string {
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(", ");
}

function isRun(hits: number): boolean {
  return hits > 0;
}

function count(files: readonly FileCoverage[], holds: (hits: number) => boolean): number {
  return files.reduce((sum, { lines }) => sum + [...lines.values()].filter(holds).length, 0);
}

/**
 * Returns the percentage of covered lines: 100 for files that contain only types, and 0 without files, because then the
 * counting has failed.
 */
function percentOf(files: readonly FileCoverage[]): number {
  const all = count(files, () => true);
  if (all === 0) return files.length === 0 ? 0 : 100;
  return 100 * count(files, isRun) / all;
}

/** Returns the percentage as text, rounded down, so that 90.0 means at least 90. */
function inPercent(files: readonly FileCoverage[]): string {
  return `${(Math.floor(percentOf(files) * 10) / 10).toFixed(1).padStart(5)} %`;
}
