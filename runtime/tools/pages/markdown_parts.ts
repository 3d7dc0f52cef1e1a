// Writes parts of a page in the notation of Markdown.
import type { Attributes } from "./markup_reader.ts";

/** The maximum number of rows in a table. A longer or wider table is written as lines. */
const MAX_ROWS = 5_000;
/** The empty cells that complete a row. */
const BLANK: readonly string[] = Array(100).fill("");

/** A finished cell. */
export interface Cell {
  text: string;
  hasLines: boolean;
  /** The number of columns. */
  span: number;
}

/** The rows of an open table. */
export interface Table {
  rows: Cell[][];
  /** True if the table only arranges parts of the page. */
  isLayout: boolean;
}

/**
 * Returns a table in Markdown, or the lines of a table that only arranges a page. `caption` comes before it. `rewrite` is
 * called with each text that is rewritten, and returns it.
 */
export function writeTable(
  { rows, isLayout }: Table,
  caption: string,
  rewrite: (text: string) => string,
): string {
  const widthOf = (row: Cell[]) => row.reduce((sum, { span }) => sum + span, 0);
  const columns = rows.reduce((most, row) => Math.max(most, widthOf(row)), 0);
  let text = caption;
  const isData = rows.length > 1 && rows.length <= MAX_ROWS && columns > 1 &&
    columns <= BLANK.length &&
    !isLayout;
  if (isData) {
    const lines = rows.map((row) => {
      const cells = row.flatMap((cell) => [
        inCell(rewrite(cell.text)),
        ...BLANK.slice(1, cell.span),
      ]);
      return `| ${[...cells, ...BLANK.slice(cells.length, columns)].join(" | ")} |`;
    });
    lines.splice(1, 0, `|${" --- |".repeat(columns)}`);
    return `${text}${text === "" ? "" : "\n\n"}${lines.join("\n")}`;
  }
  for (const row of rows) {
    const cells = row.filter((cell) => cell.text !== "");
    const line = cells.map((cell) => cell.text).join(
      cells.some((cell) => cell.hasLines) ? "\n\n" : " ",
    );
    text += `${text === "" ? "" : "\n"}${line}`;
  }
  return text;
}

/** Returns code in a fence. */
export function fenced(code: string, language: string): string {
  const fence = code.includes("```") ? "~~~~" : "```";
  return `${fence}${language}\n${code.replace(/^[\r\n]+/, "").trimEnd()}\n${fence}`;
}

/** Returns the language of code by its class, or an empty text. */
export function languageOf(attributes: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,20})/.exec(
    attributes.get("class") ?? "",
  )?.[1] ?? "";
}

function inCell(text: string): string {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return lines.join(" <br> ").replaceAll("|", "\\|");
}

/** Returns the text with its white space collapsed. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
