// Finds the known word that is nearest to an unknown one, for "Did you mean ...?".

/** The maximum length of a compared word. Longer words are no typing errors, and comparing them is slow. */
const LONGEST_WORD = 100;

/**
 * Returns the candidate nearest to `word`, or undefined if none is near. Up to a third of the letters may differ (two
 * swapped neighbors count once), or `word` may be the beginning of the candidate. Case is ignored. The earlier of two
 * equally near candidates is returned.
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
    // A prefix has the rank of the largest allowed distance, so that a word with fewer differences is preferred.
    const rank = distance <= allowed ? distance : isBeginning ? allowed : Infinity;
    if (rank < bestDistance && rank < known.length) {
      best = candidate;
      bestDistance = rank;
    }
  }
  return best;
}

/** Returns the hint `did you mean "..."?` of a diagnostic about an unknown word, or no hint. */
export function nearestHint(word: string, candidates: Iterable<string>): { hint?: string } {
  const nearest = suggest(word, candidates);
  return nearest === undefined ? {} : { hint: `did you mean "${nearest}"?` };
}

/**
 * Returns the optimal string alignment distance: the number of insertions, deletions, replacements and swaps of neighbors.
 */
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
