// Sanitizes text of models, tools and files, so that it cannot move the cursor, set a title or hide a line.
import {
  dropControls,
  dropEscapeSequences,
  escapeControls,
} from "../../base/text/unseen_characters.ts";

/** Removes escape sequences and control characters. Line feeds and tabs stay; other line breaks become line feeds. */
export function sanitize(text: string): string {
  return replaceControls(stripEscapes(text));
}

/** Removes escape sequences, the first step of sanitize(). */
export function stripEscapes(text: string): string {
  return dropEscapeSequences(text);
}

/** Normalizes line breaks and removes control characters, the second step of sanitize(). */
export function replaceControls(text: string): string {
  return dropControls(text.replaceAll(/\r\n?/g, "\n"));
}

/** Sanitizes a text and joins it into one line, with single spaces. */
export function toOneLine(text: string): string {
  return sanitize(text).replaceAll(/\s+/g, " ").trim();
}

/** Escapes the control characters in JSON for a terminal. The result is the same JSON. */
export function escapeJsonLine(line: string): string {
  return escapeControls(line, { keep: "\n\t" });
}
