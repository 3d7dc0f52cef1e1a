// Prints the difference between two texts line by line, with colors and signs.
import type { Output } from "../output.ts";
import { sanitize } from "../sanitize.ts";
import { wrapText } from "../wrap.ts";
import { type DiffLine, diffLines } from "./line_diff.ts";

const SIGNS: Readonly<Record<DiffLine["sort"], string>> = {
  same: " ",
  gone: "-",
  new: "+",
  gap: "…",
};

/** The maximum number of lines that are shown if one of the two texts is missing. */
const ONE_SIDED_LINES = 8;

/** Prints the difference between two texts, indented. A missing text is null. */
export function showChange(output: Output, before: string | null, after: string | null): void {
  showDiffLines(output, toLines(before, after), "  ");
}

/** Prints the lines of a comparison with their signs and colors, each after `indent`. */
export function showDiffLines(output: Output, lines: readonly DiffLine[], indent: string): void {
  const { style, stdout } = output;
  const paints: Readonly<Record<DiffLine["sort"], (text: string) => string>> = {
    same: (text) => text,
    gone: style.red,
    new: style.green,
    gap: style.dim,
  };
  const width = stdout.columns - indent.length;
  for (const { sort, text } of lines) {
    const line = wrapText(`${SIGNS[sort]} ${sanitize(text)}`, width, { hanging: 2 });
    for (const one of line.split("\n")) output.line((indent + paints[sort](one)).trimEnd());
  }
}

function toLines(before: string | null, after: string | null): DiffLine[] {
  if (before !== null && after !== null) {
    if (before !== after) return diffLines(before, after);
    return [{ sort: "gap", text: "they differ in a redacted secret" }];
  }
  const sort = before === null ? "new" : "gone";
  const lines = (before ?? after ?? "").split("\n");
  const rest = lines.length - ONE_SIDED_LINES;
  return [
    ...lines.slice(0, rest > 1 ? ONE_SIDED_LINES : undefined)
      .map((text): DiffLine => ({ sort, text })),
    ...(rest > 1 ? [{ sort: "gap" as const, text: `${rest} more lines` }] : []),
  ];
}
