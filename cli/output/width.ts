// How many cells a text takes, and cutting it to some.
import fastStringTruncatedWidth from "fast-string-truncated-width";
import fastStringWidth from "fast-string-width";

const ELLIPSIS = "…";

/** Cells of a text on one line. */
export function widthOf(text: string): number {
  return fastStringWidth(text);
}

/** The text in at most `width` cells; what is cut off is shown by `…`. */
export function shorten(text: string, width: number): string {
  if (width === Infinity || widthOf(text) <= width) return text;
  if (width < 1) return "";
  const { index } = fastStringTruncatedWidth(text, {
    limit: width,
    ellipsis: ELLIPSIS,
    ellipsisWidth: 1,
  });
  return text.slice(0, index).trimEnd() + ELLIPSIS;
}

/** The text with spaces up to `width` cells, behind it or before it. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + spaces : spaces + text;
}
