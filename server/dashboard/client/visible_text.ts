// Text of models, tools and files made safe to read: what would turn it around or hide some of it is shown as a sign.

/** Colours of a terminal: they say nothing, and are left out. */
// deno-lint-ignore no-control-regex -- control characters are what this is about
const COLOURS = /\u001b\[[0-9;:]*m/g;

/** Control characters but line feed and tab, and what overrides the direction of the text around it. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Where the signs for the first 32 characters begin: `␀`. */
const SIGNS = 0x2400;

/**
 * The text without terminal colours, every other control character as a sign: `␛`, `[U+202E]`. A person who approves
 * something sees that it holds more than letters. Line feeds and tabs stay; other line breaks become line feeds.
 */
export function toVisible(text: string): string {
  return text.replaceAll(COLOURS, "").replaceAll(/\r\n?/g, "\n").replaceAll(UNSEEN, toSign);
}

function toSign(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(SIGNS + code);
  if (code === 0x7f) return "␡";
  return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}
