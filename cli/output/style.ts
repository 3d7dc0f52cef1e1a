// Colours and weights of text, or none of them.

type Paint = (text: string) => string;

/** Ways to mark a text. */
export interface Style {
  /** Whether the ways below do anything. Where they do not, signs must say what they would. */
  readonly isColored: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** The name of one way. */
export type Mark = Exclude<keyof Style, "isColored">;

/** On and off, as "Select Graphic Rendition" of ECMA-48 numbers them. Node's own function for it is slow to load. */
const CODES: Readonly<Record<Mark, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** A style that colours, or one that leaves every text as it is. */
export function createStyle(options: { colors: boolean }): Style {
  const paint = (name: Mark): Paint => {
    const [on, off] = CODES[name];
    return options.colors
      ? (text) => text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`
      : (text) => text;
  };
  return {
    isColored: options.colors,
    bold: paint("bold"),
    dim: paint("dim"),
    italic: paint("italic"),
    underline: paint("underline"),
    strike: paint("strike"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}
