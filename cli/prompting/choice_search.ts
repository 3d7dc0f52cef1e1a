// Searches choices by a typed text. A match at the beginning of a text ranks before a match inside it.
import type { Choice } from "../context/input.ts";

/**
 * Returns the matching choices, best match first. Choices of equal rank keep their order. An empty text matches every
 * choice.
 */
export function searchChoices(choices: readonly Choice[], typed: string): Choice[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return [...choices];
  return choices
    .map((choice) => ({ choice, rank: rankOf(choice, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ choice }) => choice);
}

/** Returns the rank of a match: 0 is the best match, undefined is no match. */
function rankOf({ value, label, hint = "" }: Choice, wanted: string): number | undefined {
  const [id, name, about] = [value, label, hint].map((text) => text.toLowerCase()) as [
    string,
    string,
    string,
  ];
  const fits = [
    id === wanted,
    id.startsWith(wanted),
    words(`${id} ${name}`).some((word) => word.startsWith(wanted)),
    id.includes(wanted) || name.includes(wanted),
    about.includes(wanted),
    holdsInOrder(id, wanted),
  ];
  const rank = fits.indexOf(true);
  return rank === -1 ? undefined : rank;
}

function words(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u);
}

/** Returns whether the text contains the characters of `wanted` in the same order: `nightly backup` contains `nbk`. */
function holdsInOrder(text: string, wanted: string): boolean {
  let from = 0;
  for (const char of wanted) {
    const at = text.indexOf(char, from);
    if (at === -1) return false;
    from = at + char.length;
  }
  return true;
}
