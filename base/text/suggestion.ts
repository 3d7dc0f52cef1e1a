// "Did you mean ...?": the known word nearest to an unknown one.

/** Longer words are no typing errors, and comparing them is slow. */
const LONGEST_WORD = 100;

/**
 * Returns the candidate nearest to `word`, or undefined when none is near: a third of its letters may differ (swapped
 * neighbors count once), or `word` is its beginning. Case is ignored. On a tie the earlier candidate wins.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word === "" || word.length > LONGEST_WORD) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    if (candidate === word || candidate.length > LONGEST_WORD) continue;
    const known = candidate.toLowerCase();
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    const isBeginning = wanted.length >= 3 && known.startsWith(wanted);
    const distance = editDistance(wanted, known);
    // A common prefix ranks like the largest allowed edit distance, so a closer word still wins.
    const rank = distance <= allowed ? distance : isBeginning ? allowed : Infinity;
    if (rank < bestDistance && rank < known.length) {
      best = candidate;
      bestDistance = rank;
    }
  }
  return best;
}

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbors. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
