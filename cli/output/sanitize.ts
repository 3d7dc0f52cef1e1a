// Sanitizes texts of models, tools and files. A sanitized text cannot move the cursor, set the terminal's title or hide a
// line.
import {
  dropControls,
  dropEscapeSequences,
  escapeControls,
} from "../../base/text/unseen_characters.ts";

/**
 * Removes escape sequences and control characters. Line feeds and tabs stay. CRLF and single carriage returns become line
 * feeds.
 */
export function sanitize(text: string): string {
  return replaceControls(dropEscapeSequences(text));
}

/** Normalizes line breaks and removes control characters; the second step of sanitize(). */
export function replaceControls(text: string): string {
  return dropControls(text.replaceAll(/\r\n?/g, "\n"));
}

/** Sanitizes a text and replaces each run of white space with one space, so that the result is one line. */
export function toOneLine(text: string): string {
  return sanitize(text).replaceAll(/\s+/g, " ").trim();
}

/**
 * Escapes the control characters in a JSON text, so that it is safe to print on a terminal. The result represents the same
 * value.
 */
export function escapeJsonLine(line: string): string {
  return escapeControls(line, { keep: "\n\t" });
}
