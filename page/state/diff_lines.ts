// Writes the difference of two texts as a unified diff, and parses a diff into lines of different kinds.
import { structuredPatch } from "diff";

/** A line of a diff without its sign. */
export interface DiffLine {
  /** The kind of the line: only in the new file, only in the old file, in both, a position (`@@`), or a note. */
  kind: "added" | "removed" | "same" | "place" | "note";
  text: string;
  /** The shown sign, so that the kind does not depend on color alone. */
  sign?: string;
}

const SIGNED: Readonly<Record<string, Omit<DiffLine, "text">>> = {
  "+": { kind: "added", sign: "+" },
  "-": { kind: "removed", sign: "−" },
  " ": { kind: "same", sign: " " },
};

/** Parses the hunks of a diff without file names, so a line that starts with `---` is a removed line. */
export function toDiffLines(diff: string): DiffLine[] {
  if (diff === "") return [];
  return diff.replace(/\n$/, "").split("\n").map((line) => {
    if (line.startsWith("@@")) return { kind: "place", text: line };
    const signed = SIGNED[line.charAt(0)];
    if (signed !== undefined) return { ...signed, text: line.slice(1) };
    // Some programs omit the space before an empty line that both files contain.
    return line === "" ? { kind: "same", sign: " ", text: "" } : { kind: "note", text: line };
  });
}

/** Returns the hunks of a unified diff of two texts. */
export function diffOf(before: string, after: string): string {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 3 });
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]).map((line) => `${line}\n`).join("");
}
