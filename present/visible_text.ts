// Text of models, tools and files made safe to read, at a terminal and on a page alike.
import { escapeUnseen } from "../base/text/unseen_characters.ts";

/**
 * The text with `\r`, `\u001b`, `\u202e` and their like in place of what nobody would see; line feeds and tabs stay.
 * Nothing is left out: for what a person decides by.
 */
export function toVisible(text: string): string {
  return escapeUnseen(text, { keep: "\n\t" });
}

/** toVisible() on one line, runs of white space as one space. */
export function toVisibleLine(text: string): string {
  return toVisible(text).replaceAll(/\s+/g, " ").trim();
}

/** Colors of a terminal: they say nothing about what is written in them. */
// deno-lint-ignore no-control-regex -- control characters are what this is about
const COLORS = /\u001b\[[0-9;:]*m/g;

/** toVisible() without terminal colors and with line feeds for other line breaks: for all other text. */
export function toReadable(text: string): string {
  return toVisible(text.replaceAll(COLORS, "").replaceAll(/\r\n?/g, "\n"));
}

/** The first line of a text. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
