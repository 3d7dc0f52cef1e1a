// A unified diff as lines that are told apart by more than their first character.

/** What a line of a diff says: of the new file, of the old one, of both, where they stand, or about the diff itself. */
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

/** The sign of each kind, as it is shown: colour alone would not tell it to everybody. */
export const DIFF_SIGNS: Readonly<Record<DiffLineKind, string>> = {
  added: "+",
  removed: "−",
  same: " ",
  place: "",
  note: "",
};

/** The lines of hunks without file names: there, a line that begins with `---` is one of the old file. */
export function toDiffLines(diff: string): DiffLine[] {
  if (diff === "") return [];
  return diff.replace(/\n$/, "").split("\n").map((line) => {
    if (line.startsWith("@@")) return { kind: "place", text: line };
    const kind = KINDS[line.charAt(0)];
    if (kind !== undefined) return { kind, text: line.slice(1) };
    // Some programs write an empty line of both files without its space.
    return line === "" ? { kind: "same", text: "" } : { kind: "note", text: line };
  });
}
