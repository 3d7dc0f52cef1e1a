// Colours and weights of text, or none of them.

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

/** On and off, as "Select Graphic Rendition" of ECMA-48 numbers them. Node's own function for it is slow to load. */
const CODES: Readonly<Record<keyof Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** A style that colours, or one that leaves every text as it is. */
export function createStyle(options: { colors: boolean }): Style {
  const paint = (name: keyof Style): Paint => {
    const [on, off] = CODES[name];
    return options.colors
      ? (text) => text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`
      : (text) => text;
  };
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}
