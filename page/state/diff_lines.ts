// Parses a unified diff into lines of different kinds.

/** The kind of a line: of the new file, of the old one, of both, a position (`@@`), or a note. */
export type DiffLineKind = "added" | "removed" | "same" | "place" | "note";

/** A line without its sign. */
export interface DiffLine {
  kind: DiffLineKind;
  text: string;
}

const KINDS: Readonly<Record<string, DiffLineKind>> = {
  "+": "added",
  "-": "removed",
  " ": "same",
};

/** The shown sign of each kind, so that the kind does not depend on color alone. */
export const DIFF_SIGNS: Readonly<Record<DiffLineKind, string>> = {
  added: "+",
  removed: "−",
  same: " ",
  place: "",
  note: "",
};

/** Parses hunks without file names. So a line that starts with `---` is a line of the old file. */
export function toDiffLines(diff: string): DiffLine[] {
  if (diff === "") return [];
  return diff.replace(/\n$/, "").split("\n").map((line) => {
    if (line.startsWith("@@")) return { kind: "place", text: line };
    const kind = KINDS[line.charAt(0)];
    if (kind !== undefined) return { kind, text: line.slice(1) };
    // Some programs omit the space of an empty common line.
    return line === "" ? { kind: "same", text: "" } : { kind: "note", text: line };
  });
}
