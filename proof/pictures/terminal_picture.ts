// Draws lines of a terminal as an SVG.
import stringWidth from "fast-string-width";

/** The color schemes of the pictures. */
export type Scheme = "light" | "dark";

/** Colors by their SGR number; `text`, `dim`, `back` and `edge` are the terminal's own. */
const PALETTES: Readonly<Record<Scheme, Readonly<Record<string, string>>>> = {
  light: {
    ...{ text: "#1f2328", dim: "#59636e", back: "#ffffff", edge: "#d1d9e0" },
    ...{ 30: "#1f2328", 31: "#cf222e", 32: "#116329", 33: "#7d4e00" },
    ...{ 34: "#0550ae", 35: "#8250df", 36: "#1b6b72", 37: "#59636e", 90: "#59636e" },
  },
  dark: {
    ...{ text: "#e6edf3", dim: "#9198a1", back: "#0d1117", edge: "#3d444d" },
    ...{ 30: "#9198a1", 31: "#ff7b72", 32: "#56d364", 33: "#e3b341" },
    ...{ 34: "#79c0ff", 35: "#d2a8ff", 36: "#56d4dd", 37: "#e6edf3", 90: "#9198a1" },
  },
};
const CELL = { width: 8, height: 18, fontSize: 13.3 } as const;
const MARGIN = 16;

/** The style of a piece of text. */
interface Style {
  color?: string;
  bold?: boolean;
  dim?: boolean;
}

/** A piece of a line with one style. */
export interface Piece extends Style {
  text: string;
}

/** Returns the text of a line. */
export function textOf(line: readonly Piece[]): string {
  return line.map(({ text }) => text).join("").trimEnd();
}

/** Returns the lines as an SVG. */
export function drawTerminal(lines: readonly (readonly Piece[])[], scheme: Scheme): string {
  const palette = PALETTES[scheme];
  const widths = lines.map((line) => stringWidth(textOf(line)));
  const width = Math.max(...widths) * CELL.width + 2 * MARGIN;
  const height = lines.length * CELL.height + 2 * MARGIN;
  const rows = lines.map((line, index) => {
    const y = MARGIN + index * CELL.height + CELL.fontSize;
    let column = 0;
    return line.map(({ text, ...style }) => {
      const x = MARGIN + column * CELL.width;
      const cells = stringWidth(text);
      column += cells;
      return text.trim() === "" ? "" : drawPiece(text, style, { x, y, cells, palette });
    }).join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
    `width="${width}" height="${height}" font-size="${CELL.fontSize}" ` +
    `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">\n` +
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" ` +
    `fill="${palette["back"]}" stroke="${palette["edge"]}"/>\n` +
    `${rows.filter((row) => row !== "").join("\n")}\n</svg>\n`;
}

function drawPiece(
  text: string,
  { color, bold, dim }: Style,
  { x, y, cells, palette }: {
    x: number;
    y: number;
    cells: number;
    palette: Readonly<Record<string, string>>;
  },
): string {
  const fill = palette[color ?? (dim ? "dim" : "text")];
  const weight = bold ? ' font-weight="bold"' : "";
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // `textLength` keeps the columns aligned in every font.
  return `<text x="${x}" y="${y.toFixed(1)}" textLength="${cells * CELL.width}" ` +
    `lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="${fill}"${weight}>${escaped}</text>`;
}

/**
 * Returns the pieces of each line of a screen with escape sequences. A style applies until it is changed, even on later
 * lines.
 */
export function parseScreen(screen: string): Piece[][] {
  let style: Style = {};
  return screen.split("\n").map((line) =>
    // deno-lint-ignore no-control-regex
    line.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
      // deno-lint-ignore no-control-regex
      const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
      if (codes === undefined) return part === "" ? [] : [{ ...style, text: part }];
      for (const code of codes.split(";")) style = changeStyle(style, Number(code));
      return [];
    })
  );
}

function changeStyle(style: Style, code: number): Style {
  const { color: _, ...colorless } = style;
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return colorless;
  const isColor = (code >= 30 && code <= 37) || code === 90;
  return isColor ? { ...style, color: String(code) } : style;
}
