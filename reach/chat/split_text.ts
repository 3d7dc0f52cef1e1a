// Splits long texts into messages.
import { beginningOf } from "../../base/text/cut_text.ts";

/** Returns the text in parts of at most `max` characters (UTF-16 code units), cut at the ends of paragraphs, lines or words. */
export function splitText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const fits = beginningOf(rest, max);
    // A cut in the first half would make too many parts.
    const cut = ["\n\n", "\n", " "].map((mark) => fits.lastIndexOf(mark))
      .find((at) => at > max / 2) ?? fits.length;
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === "" ? parts : [...parts, rest];
}
