// Text that somebody else wrote, on its way to a model, a person or the log: nothing in it that acts on a screen, and not
// too much.
import { cutEnd } from "./cut_text.ts";
import { dropControls, dropEscapeSequences } from "./unseen_characters.ts";

/** Half of a character: no text in UTF-8 can hold one. */
const HALF = /\p{Cs}/gu;

/** The text without terminal sequences, control characters and halves of characters; line breaks become line feeds. */
export function toPlainText(text: string): string {
  return dropControls(dropEscapeSequences(text).replaceAll(/\r\n?/g, "\n")).replaceAll(HALF, "");
}

/** The text as one line of at most `maxCharacters`. */
export function toPlainLine(text: string, maxCharacters: number): string {
  // Cut first: a very long text need not be searched to its end.
  const head = text.slice(0, maxCharacters * 4);
  return cutEnd(toPlainText(head).replaceAll(/\s+/g, " ").trim(), maxCharacters);
}
