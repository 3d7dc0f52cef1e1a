// The differences of two texts as hunks of a unified diff. The package is loaded on first use.
import { lazyModule } from "../lazy_module.ts";

const loadDiff = lazyModule(() => import("diff"));

/** Hunks from the first `@@` on, without file names; each line ends with a line feed. Empty for equal texts. */
export interface UnifiedDiff {
  diff: string;
  /** Numbers of lines. */
  added: number;
  removed: number;
}

/** The most differing lines to compare. More would block the service's thread for over a tenth of a second. */
const MOST_EDITS = 1_000;

/**
 * Compares two texts by lines, with 3 lines of context. For texts that differ too much, the diff removes all of one and
 * adds all of the other.
 */
export async function unifiedDiff(before: string, after: string): Promise<UnifiedDiff> {
  const { structuredPatch } = await loadDiff();
  const options = { context: 3, maxEditLength: MOST_EDITS };
  const patch = structuredPatch("", "", before, after, "", "", options);
  const hunks = patch?.hunks ?? replacement(before, after);
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`,
    ...lines,
  ]);
  const count = (sign: string) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((one) => one.startsWith(sign)).length, 0);
  return {
    diff: lines.map((line) => `${line}\n`).join(""),
    added: count("+"),
    removed: count("-"),
  };
}

/** Formats the position of a hunk. Without lines it is the line before. */
function place(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

function replacement(before: string, after: string): Hunk[] {
  const [old, now] = [linesOf(before, "-"), linesOf(after, "+")];
  const countOf = (text: string) => linesOf(text, "").filter((line) => line !== NO_END).length;
  return [{
    oldStart: 1,
    oldLines: countOf(before),
    newStart: 1,
    newLines: countOf(after),
    lines: [...old, ...now],
  }];
}

const NO_END = "\\ No newline at end of file";

function linesOf(text: string, sign: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const hasEnd = lines.at(-1) === "";
  if (hasEnd) lines.pop();
  return [...lines.map((line) => sign + line), ...(hasEnd ? [] : [NO_END])];
}
