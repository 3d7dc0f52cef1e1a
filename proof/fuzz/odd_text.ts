// Generates hostile text for the cases of several targets.
import fc from "fast-check";
import { anyText as anyCharacters, textOf } from "../../tests/support/any_text.ts";

/** Escape sequences of terminals (complete, cut off, and in pieces), and characters that reverse the order of text. */
const TERMINAL_PIECES: readonly string[] = [
  ...[
    "\u001b",
    "\u001b[",
    "\u001b[31m",
    "\u001b[2J",
    "\u001b[?25l",
    "\u001b]0;title\u0007",
    "\u001b]",
  ],
  ...[
    "\u001b]8;;https://x.org\u001b\\",
    "\u001b\\",
    "\u001bP",
    "\u001bPq#0\u001b\\",
    "\u001bc",
    "\u009b",
  ],
  ...[
    "\u009b1m",
    "\u009d",
    "\u009d0;x\u009c",
    "\u009c",
    "\u0090",
    "\u0007",
    "\b",
    "\r",
    "\r\n",
    "\u202e",
  ],
  ...["\u2066", "31m", "2J", "0;title", ";", "m", "[", "\\"],
];

/** Characters that programs often mishandle. */
export const ODD_CHARACTERS: readonly string[] = [
  ...[
    "\0",
    "\ufeff",
    "\u2028",
    "\u2029",
    "\u0085",
    "\u00a0",
    "\u200b",
    "\ud800",
    "\udc00",
    "\ufffd",
  ],
  ...["é", "e\u0301", "ß", "日本", "🚀", "👩‍🚀", "\t", "\n", "\r\n", "\r", " ", '"', "'", "`", "\\"],
  ...["%", "$", "{", "}", "[", "]", "<", ">", "&", "#", "*", ":", "/", "..", "~"],
];

/** Property names that every JavaScript object has, and names with a meaning for other code. */
export const ODD_NAMES: readonly string[] = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "a", "b", "A_TOKEN"],
];

/** Generates any text. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme" }),
  anyCharacters(),
  textOf(ODD_CHARACTERS, { maxLength: 12 }),
);

/** Generates text with many terminal control sequences. */
export const terminalText: fc.Arbitrary<string> = fc.array(
  fc.oneof(fc.constantFrom(...TERMINAL_PIECES), anyCharacters({ maxLength: 6 })),
  { maxLength: 30 },
).map((pieces) => pieces.join(""));

/** Returns the text in pieces of the given lengths; the last piece is the remainder. */
export function cutAt(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const length of lengths) {
    pieces.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return [...pieces, rest];
}
