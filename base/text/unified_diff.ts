// Compares two texts and writes the differences as hunks of a unified diff. Loads the diff package on first use.
import { lazyModule } from "../lazy_module.ts";

const loadDiff = lazyModule(() => import("diff"));

/** The hunks from the first `@@` on, without file names. Each line ends with a line feed. Empty for equal texts. */
export interface UnifiedDiff {
  diff: string;
  /** The number of added lines; `removed` is the number of removed lines. */
  added: number;
  removed: number;
}

/** The maximum number of differing lines to compare. More would block the service's thread for over a tenth of a second. */
const MOST_EDITS = 1_000;

/**
 * Compares two texts by lines and returns the diff with three lines of context. If the texts differ too much, the diff
 * removes all lines of one text and adds all lines of the other.
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

/** Returns the position of a hunk. For a hunk without lines, it is the position of the line before. */
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
