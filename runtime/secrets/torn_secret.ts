// Where a part of a text may begin or end without a part of a secret: that is found by no redaction, and tells most of it.
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

/** Where a part of the text that is to begin at `at` may begin: there, or behind the secret that `at` lies in. */
export function wholeStart(text: string, at: number, secrets: readonly Secret[]): number {
  const spellings = secrets.flatMap(spellingsOf);
  // Behind one secret is perhaps the middle of another that overlaps with it, or of itself.
  for (let start = at;;) {
    const before = start;
    for (const one of spellings) {
      for (let end; (end = endOver(text, start, one)) > start;) start = end;
    }
    if (start === before) return start;
  }
}

/** Where the last `value` ends that begins before `at` and ends behind it; 0 where there is none. */
function endOver(text: string, at: number, value: string): number {
  const first = Math.max(0, at - value.length + 1);
  const found = text.slice(first, at + value.length - 1).lastIndexOf(value);
  return found < 0 ? 0 : first + found + value.length;
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
