// Hides the secrets of a file that a person edits. The edited text gets them back when it is saved.
import { findMarks, placeholderOf } from "./secret_marks.ts";
import type { Secret } from "./secret.ts";
import type { Mark } from "./secret_finder.ts";

/** A text without its secrets. */
export interface ConcealedText {
  /** The text with a placeholder in the place of each secret. */
  shown: string;
  /** Returns an edited text with the secrets in the places of their placeholders. */
  restore(edited: string): string;
}

/** Matches the password in an address. */
const PASSWORD = /(?<=\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/g;
/** Matches a value that names variables, such as `Bearer ${TOKEN}`. It contains no secret. */
const VARIABLES = /^(?:[A-Za-z]+ )?\s*(?:\$\{[^}]*\}\s*)+$/;
const PLACEHOLDER = /\[redacted:[^\]]*\]/g;

/**
 * Hides `secrets`, the ranges in `places`, and the passwords in addresses. Different secrets get different placeholders,
 * which contain no quote, so that the text still parses.
 */
export function concealText(
  text: string,
  secrets: readonly Secret[],
  places: readonly Mark[] = [],
): ConcealedText {
  const passwords = text.matchAll(PASSWORD)
    .map(({ 0: { length }, index }) => ({ from: index, to: index + length, name: "password" }));
  const ranges = [...findMarks(text, secrets), ...places, ...passwords]
    .filter(({ from, to }) => !VARIABLES.test(text.slice(from, to)))
    .sort((a, b) => a.from - b.from);
  const hidden = new Map<string, string>();
  let shown = "";
  let at = 0;
  for (let index = 0; index < ranges.length; index++) {
    const { from, name } = ranges[index]!;
    let { to } = ranges[index]!;
    for (let next; (next = ranges[index + 1]) !== undefined && next.from < to; index++) {
      to = Math.max(to, next.to);
    }
    shown += text.slice(at, from) + placeFor(text.slice(from, to), { name, hidden, text });
    at = to;
  }
  shown += text.slice(at);
  return {
    shown,
    restore: (edited) => edited.replaceAll(PLACEHOLDER, (place) => hidden.get(place) ?? place),
  };
}

/** Returns the placeholder of a secret. A new one is different from all others, and from everything in the text. */
function placeFor(
  secret: string,
  { name, hidden, text }: { name: string; hidden: Map<string, string>; text: string },
): string {
  for (const [place, known] of hidden) if (known === secret) return place;
  const plain = name.replaceAll(/[^\w.-]/g, "_");
  for (let number = 1;; number++) {
    const place = placeholderOf({ name: number === 1 ? plain : `${plain} ${number}` });
    if (hidden.has(place) || text.includes(place)) continue;
    hidden.set(place, secret);
    return place;
  }
}
