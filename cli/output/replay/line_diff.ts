// Compares two texts line by line.
import { diffArrays } from "diff";
import { formatPlural } from "../../../base/text/plural.ts";

/**
 * A line of a comparison. `gone` is only in the old text, `new` only in the new text, `same` in both texts. A `gap` stands
 * for omitted equal lines.
 */
export interface DiffLine {
  sort: "same" | "gone" | "new" | "gap";
  text: string;
}

/** The number of equal lines that are kept before and after a change. */
const CONTEXT = 2;
/** The maximum number of differing lines to compare. For more, all lines of both texts are shown as removed and added. */
const MOST_EDITS = 2_000;

/** Returns the lines of both texts. Equal lines that are far from a change are replaced by gaps. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(old, now, { maxEditLength: MOST_EDITS }) ??
    [{ value: old, removed: true, added: false }, { value: now, removed: false, added: true }];
  return withoutFarLines(changes.flatMap(({ value, removed, added }) => {
    const sort = removed ? "gone" : added ? "new" : "same";
    return value.map((text): DiffLine => ({ sort, text }));
  }));
}

function withoutFarLines(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some(({ sort }) => sort !== "same")
  );
  return lines.flatMap((line, index): DiffLine[] => {
    if (isNear[index]) return [line];
    const isFirst = index === 0 || isNear[index - 1] === true;
    if (!isFirst) return [];
    const next = isNear.indexOf(true, index);
    const count = (next < 0 ? lines.length : next) - index;
    return [{ sort: "gap", text: formatPlural(count, "equal line") }];
  });
}
