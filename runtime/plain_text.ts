// Text that somebody else wrote, on its way to a model, a person or the log: nothing unseen in it, and not too much.
import { stripVTControlCharacters } from "node:util";
import { cutEnd } from "./cut_text.ts";

/** Control characters but line feed and tab, what turns the direction of writing, and halves of characters. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** The text without terminal sequences and unseen characters; line breaks become line feeds. */
export function toPlainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n").replaceAll(UNSEEN, "");
}

/** The text as one line of at most `maxCharacters`. */
export function toPlainLine(text: string, maxCharacters: number): string {
  // Cut first: what is long beyond all measure need not be looked through.
  const head = text.slice(0, maxCharacters * 4);
  return cutEnd(toPlainText(head).replaceAll(/\s+/g, " ").trim(), maxCharacters);
}
