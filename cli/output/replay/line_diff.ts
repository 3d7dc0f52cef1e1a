// Compares two texts line by line.

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
/**
 * The maximum number of comparisons of two lines. Above it the whole differing section is shown as removed and added,
 * because the comparison would take too long.
 */
const MAX_COMPARISONS = 4_000_000;

/** Returns the lines of both texts. Equal lines that are far from a change are replaced by gaps. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  const room = Math.min(old.length, now.length) - start;
  while (end < room && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const lines: DiffLine[] = [
    ...old.slice(0, start).map(toLine("same")),
    ...diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(toLine("same")),
  ];
  return withoutFarLines(lines);
}

const toLine = (sort: DiffLine["sort"]) => (text: string): DiffLine => ({ sort, text });

/** Returns the lines of both texts, aligned by their longest common subsequence. */
function diffMiddle(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > MAX_COMPARISONS) {
    return [...old.map(toLine("gone")), ...now.map(toLine("new"))];
  }
  const width = now.length + 1;
  // common[i, j] is the length of the longest common subsequence of old[i…] and now[j…].
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j]
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [gone, come] = [old[i], now[j]];
    if (gone !== undefined && gone === come) {
      lines.push({ sort: "same", text: gone });
      i++;
      j++;
    } else if (gone !== undefined && (come === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sort: "gone", text: gone });
      i++;
    } else {
      lines.push({ sort: "new", text: come ?? "" });
      j++;
    }
  }
  return lines;
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
    return [{ sort: "gap", text: `${count} equal ${count === 1 ? "line" : "lines"}` }];
  });
}
