// Formats a Markdown table for the width of the terminal. Cells wrap. If the columns would be too narrow, each row becomes
// a block of lines.
import type { Tokens } from "marked";
import { toSpans } from "./markdown_inline.ts";
import type { Style } from "../style.ts";
import { fitColumns } from "../table.ts";
import { pad, widthOf } from "../width.ts";
import { type Span, wrapSpans } from "../wrap.ts";

const GAP = "  ";
/** The minimum width of a column. */
const LEAST_WIDTH = 8;
/** The variation selector of emoji, whose width differs between terminals. */
const EMOJI_FORM = /\ufe0f/g;

/** Returns the table as styled lines. */
export function formatMarkdownTable(
  table: Tokens.Table,
  { width, style }: { width: number; style: Style },
): string[] {
  const head = table.header.map((cell) => cellSpans(cell, style, true));
  const rows = table.rows.map((row) => row.map((cell) => cellSpans(cell, style, false)));
  const widths = fitWidths([head, ...rows], width);
  if (widths === undefined) return formatBlocks(head, rows, { width, style });
  const formatRow = (row: readonly Span[][]) => {
    const cells = widths.map((cellWidth, index) =>
      wrapSpans(row[index] ?? [], { width: cellWidth, style })
    );
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from(
      { length: height },
      (_, line) =>
        cells.map((lines, index) =>
          align(lines[line] ?? "", widths[index] ?? 0, table.align[index] ?? null)
        ).join(GAP).trimEnd(),
    );
  };
  const rule = style.dim(widths.map((cell) => "─".repeat(cell)).join(GAP));
  return [...formatRow(head), rule, ...rows.flatMap(formatRow)];
}

function cellSpans(cell: Tokens.TableCell, style: Style, isHead: boolean): Span[] {
  return toSpans(cell.tokens, style, isHead ? ["bold"] : [])
    .map((span) => ({ ...span, text: span.text.replaceAll(EMOJI_FORM, "") }));
}

/**
 * Returns column widths whose sum fits. Shortens the widest columns first. Returns undefined if the columns would not be
 * legible.
 */
function fitWidths(rows: readonly Span[][][], available: number): number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const natural = Array.from(
    { length: count },
    (_, index) => Math.max(1, ...rows.map((row) => widthOf(textOf(row[index] ?? [])))),
  );
  const room = Math.max(0, available - GAP.length * (count - 1));
  return fitColumns({
    natural,
    least: natural.map((one) => Math.min(one, LEAST_WIDTH, room)),
    room,
  });
}

function formatBlocks(
  head: readonly Span[][],
  rows: readonly Span[][][],
  options: { width: number; style: Style },
): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.flatMap((cell, column) =>
      wrapSpans([...head[column] ?? [], { text: ": " }, ...cell], { ...options, hanging: 2 })
    ),
  ]);
}

function textOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join("");
}

function align(line: string, width: number, side: "left" | "right" | "center" | null): string {
  if (side === "center") {
    const left = Math.floor(Math.max(0, width - widthOf(line)) / 2);
    return pad(" ".repeat(left) + line, width);
  }
  return pad(line, width, side === "right" ? "right" : "left");
}
