// Where a text that ends too early may end inside of a secret: a part of one is found by no redaction, and tells most of it.
import type { Secret } from "./secret.ts";
import {
  findMarks,
  findPlaceholders,
  type Mark,
  placeholderOf,
  spellingsOf,
} from "./secret_marks.ts";

/**
 * How much of the text's beginning is surely whole: after it comes only what may be the beginning of a secret, or of what
 * stands in place of one, and what reaches into that. `marks` are those of the text.
 */
export function wholeLength(
  text: string,
  secrets: readonly Secret[],
  marks: readonly Mark[] = findMarks(text, secrets),
): number {
  const wholes = secrets.flatMap((one) => [...spellingsOf(one), placeholderOf(one)]);
  const longest = wholes.map((one) => overlap(text, one));
  const open = text.length - Math.max(0, ...longest);
  if (open === text.length) return open;
  const reaching = [...marks, ...findPlaceholders(text, secrets)]
    .filter(({ from, to }) => from < open && open < to);
  return Math.min(open, ...reaching.map(({ from }) => from));
}

/** The length of the longest end of `text` that is a true beginning of `value`. */
function overlap(text: string, value: string): number {
  const last = text.at(-1);
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    // Most are told apart by one character: some secrets are thousands of them long, and every piece of text asks.
    if (value[length - 1] === last && text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
