// Cleans text from outside for a model, a person or the log: removes characters that control a screen, and limits the
// length.
import { cutEnd } from "./cut_text.ts";
import { dropControls, dropEscapeSequences } from "./unseen_characters.ts";

/** Matches half of a character (a lone surrogate), which UTF-8 cannot contain. */
const HALF = /\p{Cs}/gu;

/**
 * Returns the text without terminal sequences, control characters and lone surrogates. Each kind of line break becomes a
 * line feed.
 */
export function toPlainText(text: string): string {
  return dropControls(dropEscapeSequences(text).replaceAll(/\r\n?/g, "\n")).replaceAll(HALF, "");
}

/** Returns the text as one line of at most `maxCharacters`. */
export function toPlainLine(text: string, maxCharacters: number): string {
  // Cut the text before the search, so that a very long text is not searched to its end.
  const head = text.slice(0, maxCharacters * 4);
  return cutEnd(toPlainText(head).replaceAll(/\s+/g, " ").trim(), maxCharacters);
}
