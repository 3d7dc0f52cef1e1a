// Colours and weights of text, or none of them.
import { styleText } from "node:util";

type Paint = (text: string) => string;

/** Ways to mark a text. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** A style that colours, or one that leaves every text as it is. */
export function createStyle(options: { colors: boolean }): Style {
  const paint = (format: keyof Style): Paint =>
    options.colors
      // The terminal was asked already whether it takes colours.
      ? (text) => text === "" ? "" : styleText(format, text, { validateStream: false })
      : (text) => text;
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}
