// Text of models, tools and files made safe to show: nothing in it can move the cursor, set a title or hide a line.
import {
  dropControls,
  dropEscapeSequences,
  escapeControls,
} from "../../base/text/unseen_characters.ts";

/** The text without escape sequences and control characters. Line feeds and tabs stay; other line breaks become line feeds. */
export function sanitise(text: string): string {
  return replaceControls(stripEscapes(text));
}

/** The first half of sanitise(): without escape sequences. */
export function stripEscapes(text: string): string {
  return dropEscapeSequences(text);
}

/** The second half of sanitise(): uniform line breaks, no control characters. */
export function replaceControls(text: string): string {
  return dropControls(text.replaceAll(/\r\n?/g, "\n"));
}

/** The sanitised text on one line, runs of white space as one space. */
export function toOneLine(text: string): string {
  return sanitise(text).replaceAll(/\s+/g, " ").trim();
}

/** JSON with every control character escaped, so that a terminal can show it; the same JSON, also where it is indented. */
export function escapeJsonLine(line: string): string {
  return escapeControls(line, { keep: "\n\t" });
}
