// Text of models, tools and files made safe to read: what nobody would see of it is shown as an escape.
import { escapeUnseen } from "../../../base/text/unseen_characters.ts";

/**
 * The text with `\r`, `\u001b`, `\u202e` and their like in place of what nobody would see; line feeds and tabs stay.
 * Nothing is left out: for what a person decides by. The terminal shows the same.
 */
export function toVisible(text: string): string {
  return escapeUnseen(text, { keep: "\n\t" });
}

/** Colours of a terminal: they say nothing about what is written in them. */
// deno-lint-ignore no-control-regex -- control characters are what this is about
const COLOURS = /\u001b\[[0-9;:]*m/g;

/** toVisible() without terminal colours and with line feeds for other line breaks: for all other text. */
export function toReadable(text: string): string {
  return toVisible(text.replaceAll(COLOURS, "").replaceAll(/\r\n?/g, "\n"));
}

/** At most the last `maxCharacters` (UTF-16 code units) of a text, beginning with a whole character. */
export function endOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return text.slice(text.length - maxCharacters).replace(/^[\udc00-\udfff]/, "");
}
