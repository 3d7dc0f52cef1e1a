// Measures the width of text in terminal cells, shortens text, and pads text.
import { dropEscapeSequences, onFirstUse } from "../../base/text/unseen_characters.ts";

const ELLIPSIS = "…";
/** The maximum number of UTF-16 code units of one shown character. */
const LONGEST_CHARACTER = 32;
/** Matches text in which each code unit occupies one cell. Most text is of this kind. */
const PLAIN = /^[ -~\xa0-\xff–—…]*$/;

/** Returns the width of a line in terminal cells. The line may contain color codes. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : measure(text);
}

/** Shortens a text to `width` cells, with `…` at its end. Never splits a character that consists of several code points. */
export function shorten(text: string, width: number): string {
  if (width === Infinity || widthOf(text) <= width) return text;
  if (width < 1) return "";
  let end = 0;
  // The segmenter is created here because its creation is slow and most texts fit.
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { index, segment } of graphemes.segment(text)) {
    // Ends the loop early for a long text whose characters have no width.
    if (index > width * LONGEST_CHARACTER) break;
    // Measures from the beginning of the text, because the width of a text can differ from the sum of its characters'
    // widths.
    if (widthOf(text.slice(0, index + segment.length)) > width - 1) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

/** Pads a text with spaces to `width` cells. The spaces follow left-aligned text and precede right-aligned text. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + spaces : spaces + text;
}

// The rest of this file measures wide characters, emoji sequences and combining marks. Decision: Inkling has its own table
// of widths (rejected: the package fast-string-width). The package builds its table when it is imported, which takes a
// tenth of each command's start, and few commands need the table. A test compares the results with the package's.

/** The ranges of code points that occupy two cells: the wide and full-width characters of Unicode's EastAsianWidth.txt. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  ...[[0x1100, 0x115f], [0x231a, 0x231b], [0x2329, 0x232a], [0x2e80, 0x303e]] as const,
  ...[[0x3041, 0xa4cf], [0xa960, 0xa97f], [0xac00, 0xd7a3], [0xf900, 0xfaff]] as const,
  ...[[0xfe10, 0xfe19], [0xfe30, 0xfe6f], [0xff01, 0xff60], [0xffe0, 0xffe6]] as const,
  ...[[0x16fe0, 0x18dff], [0x1aff0, 0x1b2ff], [0x1f200, 0x1f2ff], [0x20000, 0x3fffd]] as const,
];
const TAB_CELLS = 8;

/**
 * A regular expression for an emoji, with its modifiers. EMOJI also matches flags, keycaps, and emoji that are joined with
 * zero-width joiners.
 */
const PICTURE = "(?:\\p{Emoji}\\uFE0F\\u20E3?|\\p{Emoji_Modifier_Base}\\p{Emoji_Modifier}|" +
  "\\p{Emoji_Presentation}\\p{Emoji_Modifier}?)";
const EMOJI = "\\p{RI}{2}|\\u{1F3F4}[\\u{E0020}-\\u{E007E}]+\\u{E007F}|" +
  `${PICTURE}(?:\\u200D(?:${PICTURE}|\\p{Emoji}))*`;

/** The regular expression is created when it is first used, because its creation is slow. */
const emoji = onFirstUse(() => new RegExp(EMOJI, "gu"));
/** Matches characters without a cell: combining marks and control characters. */
const cellless = onFirstUse(() => new RegExp("[\\p{M}\\p{Cc}]", "u"));

/** Returns the width of a text that may contain wide characters, emoji and color codes. */
function measure(text: string): number {
  let cells = 0;
  const rest = dropEscapeSequences(text).replaceAll(emoji(), () => {
    cells += 2;
    return "";
  });
  for (const character of rest) cells += cellsOf(character);
  return cells;
}

function cellsOf(character: string): number {
  if (character === "\t") return TAB_CELLS;
  if (cellless().test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
