// How many cells a text takes, and cutting it to some.
import { measure } from "./cells.ts";

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
