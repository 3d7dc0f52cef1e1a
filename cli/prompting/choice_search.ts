// Finding one of many by a part of it: what begins with the typed text stands before what only holds it somewhere.
import type { Choice } from "./input.ts";

/** The choices that fit, best first; those that fit equally well keep their order. Nothing typed fits all. */
export function searchChoices(choices: readonly Choice[], typed: string): Choice[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return [...choices];
  return choices
    .map((choice) => ({ choice, rank: rankOf(choice, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ choice }) => choice);
}

/** How well a choice fits, 0 best; undefined when it does not. */
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

/** Whether the characters stand in the text in this order: `nbk` for `nightly backup`. */
function holdsInOrder(text: string, wanted: string): boolean {
  let from = 0;
  for (const char of wanted) {
    const at = text.indexOf(char, from);
    if (at === -1) return false;
    from = at + char.length;
  }
  return true;
}
