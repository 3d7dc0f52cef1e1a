// Text that a person decides by, shown with all that is in it: what would not be seen, or would deceive, as an escape.
import { escapeUnseen } from "../../base/text/unseen_characters.ts";

/**
 * The text with `\r`, `\u001b`, `\u202e` and their like in place of what nobody would see; line feeds and tabs stay.
 * Unlike sanitise() it leaves nothing out: what is allowed is what was read.
 */
export function toVisible(text: string): string {
  return escapeUnseen(text, { keep: "\n\t" });
}

/** toVisible() on one line, runs of white space as one space. */
export function toVisibleLine(text: string): string {
  return toVisible(text).replaceAll(/\s+/g, " ").trim();
}
