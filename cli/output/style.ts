// Styles text for terminals: colors, bold and other weights.

type Paint = (text: string) => string;

/**
 * The codes of the control sequence "Select Graphic Rendition" of ECMA-48. Inkling does not use Node's styleText(), because
 * it loads slowly.
 */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** The name of a style. */
export type Mark = keyof typeof CODES;

/** Functions that each apply a style to a text. */
export interface Style extends Readonly<Record<Mark, Paint>> {
  /** False if the functions return texts unchanged. Signs must then express what colors would express. */
  readonly isColored: boolean;
}

/** Returns style functions. Without `colors`, the functions return texts unchanged. */
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
