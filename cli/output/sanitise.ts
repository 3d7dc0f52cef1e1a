// Text of models, tools and files made safe to show: nothing in it can move the cursor, set a title or hide a line.

/**
 * Escape sequences: CSI; OSC, DCS and their kin with a printable content and their end; any other ESC with the character
 * it introduces. The classes exclude every control character, so that matching takes linear time.
 */
const ESCAPE_SEQUENCES =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Control characters but line feed and tab, and what overrides the direction of the text around it. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** The text without escape sequences and control characters. Line feeds and tabs stay; other line breaks become line feeds. */
export function sanitise(text: string): string {
  return replaceControls(stripEscapes(text));
}

/** The first half of sanitise(): without escape sequences. */
export function stripEscapes(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCES, "");
}

/** The second half of sanitise(): line breaks made alike, without control characters. */
export function replaceControls(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(CONTROLS, "");
}

/** The sanitised text on one line, runs of white space as one space. */
export function toOneLine(text: string): string {
  return sanitise(text).replaceAll(/\s+/g, " ").trim();
}

/** A line of JSON with every control character escaped, so that a terminal can show it; the same JSON. */
export function escapeJsonLine(line: string): string {
  return line.replaceAll(
    CONTROLS,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
