// How many cells a text takes, and cutting it to some.
import { stripEscapes } from "./sanitise.ts";

const ELLIPSIS = "…";
/** Code units of one character beyond which a text is not worth showing whole. */
const LONGEST_CHARACTER = 32;
/** What takes a cell for each code unit: most of what is ever shown. */
const PLAIN = /^[ -~\xa0-\xff–—…]*$/;

/** Cells of a text on one line; it may hold colours. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : measure(text);
}

/** The text in at most `width` cells; what is cut off is shown by `…`, and no character is cut in two. */
export function shorten(text: string, width: number): string {
  if (width === Infinity || widthOf(text) <= width) return text;
  if (width < 1) return "";
  let end = 0;
  // Slow to make, and most texts fit.
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { index, segment } of graphemes.segment(text)) {
    // Marks that take no cell would make this endless.
    if (index > width * LONGEST_CHARACTER) break;
    // Measured from the beginning: the width of a text need not be the sum of its characters' widths.
    if (widthOf(text.slice(0, index + segment.length)) > width - 1) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

/** The text with spaces up to `width` cells, behind it or before it. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + spaces : spaces + text;
}

// The cells of text that is not plain: characters of two, emoji of several characters, marks that take none.
// Decision: a table of our own, because a package's is made when it is loaded, which takes every command a tenth of its
// start, and most commands show no such text (rejected: fast-string-width, which the tests compare it with).

/** Beginning and end of the ranges that take two cells: the wide and full-width ones of Unicode's EastAsianWidth.txt. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  ...[[0x1100, 0x115f], [0x231a, 0x231b], [0x2329, 0x232a], [0x2e80, 0x303e]] as const,
  ...[[0x3041, 0xa4cf], [0xa960, 0xa97f], [0xac00, 0xd7a3], [0xf900, 0xfaff]] as const,
  ...[[0xfe10, 0xfe19], [0xfe30, 0xfe6f], [0xff01, 0xff60], [0xffe0, 0xffe6]] as const,
  ...[[0x16fe0, 0x18dff], [0x1aff0, 0x1b2ff], [0x1f200, 0x1f2ff], [0x20000, 0x3fffd]] as const,
];
const TAB_CELLS = 8;

/** One picture, joined of several where a zero-width joiner stands between them; flags; keys. */
const PICTURE = "(?:\\p{Emoji}\\uFE0F\\u20E3?|\\p{Emoji_Modifier_Base}\\p{Emoji_Modifier}|" +
  "\\p{Emoji_Presentation}\\p{Emoji_Modifier}?)";
const EMOJI = "\\p{RI}{2}|\\u{1F3F4}[\\u{E0020}-\\u{E007E}]+\\u{E007F}|" +
  `${PICTURE}(?:\\u200D(?:${PICTURE}|\\p{Emoji}))*`;

/** Slow to make: only where a text is measured. */
const emoji = onFirstUse(() => new RegExp(EMOJI, "gu"));
/** What is drawn over the character before it, and what is not drawn. */
const cellless = onFirstUse(() => new RegExp("[\\p{M}\\p{Cc}]", "u"));

/** The cells of any text. */
function measure(text: string): number {
  let cells = 0;
  const rest = stripEscapes(text).replaceAll(emoji(), () => {
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

function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => made ??= make();
}
