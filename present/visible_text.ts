// Escapes invisible characters in text of models, tools and files, for the terminal and the page.
import { escapeUnseen } from "../base/text/unseen_characters.ts";

/**
 * Returns the text with invisible characters replaced by escapes such as `\r`, `\u001b` and `\u202e`, except line feeds and
 * tabs. Removes nothing, so it is right for texts that a user approves.
 */
export function toVisible(text: string): string {
  return escapeUnseen(text, { keep: "\n\t" });
}

/** Returns the text after toVisible() as one line with single spaces. */
export function toVisibleLine(text: string): string {
  return toVisible(text).replaceAll(/\s+/g, " ").trim();
}

/** The color codes of a terminal, which do not change the meaning of a text. */
// deno-lint-ignore no-control-regex -- the pattern must match control characters
const COLORS = /\u001b\[[0-9;:]*m/g;

/**
 * Returns the text after toVisible(), without terminal colors and with normalized line breaks. For texts that nobody
 * approves.
 */
export function toReadable(text: string): string {
  return toVisible(text.replaceAll(COLORS, "").replaceAll(/\r\n?/g, "\n"));
}

/** Returns the first line of a text. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
