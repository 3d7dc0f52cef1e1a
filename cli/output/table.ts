// Formats tables for the width of the terminal. Columns are shortened if they stay legible; otherwise each row becomes a
// block of lines.
import { toOneLine } from "./sanitize.ts";
import type { Style } from "./style.ts";
import { pad, shorten, widthOf } from "./width.ts";

/** A column of a table, with functions that produce its cells. */
export interface Column<Row> {
  header: string;
  /** Returns the text of this column's cell in a row. */
  cell: (row: Row) => string;
  align?: "left" | "right";
  /** True if the cells of the column may be shortened. */
  shrinks?: boolean;
  /** Returns `cell`, the padded or shortened text, in color. `value` is the whole text of the cell. */
  paint?: (cell: string, value: string) => string;
}

/** Functions that return the line below a row. `cutNote` is used for a row without a `note` that has a shortened cell. */
export interface TableNotes<Row> {
  note?: (row: Row) => string | undefined;
  cutNote?: (row: Row) => string;
}

/** The text that is printed in an empty cell. */
export const NOTHING = "-";

/** Returns the formatted value, or NOTHING for null. */
export function orNothing<Value>(value: Value | null, format: (value: Value) => string): string {
  return value === null ? NOTHING : format(value);
}

const GAP = "  ";
/** The minimum width of a shortened column. */
const LEGIBLE_WIDTH = 8;

interface TableOptions<Row> extends TableNotes<Row> {
  width: number;
  style: Style;
}

/** Returns the table as text, without a line break at the end. Cells are sanitized, and each cell is one line. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions<Row>,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => toCell(cell(row))));
  const noteOf = (index: number, isCut: () => boolean) => {
    const row = rows[index] as Row;
    return toCell(options.note?.(row) ?? (isCut() ? options.cutNote?.(row) : undefined) ?? "");
  };
  const widths = fitWidths(columns, cells, options.width);
  if (widths === undefined) return formatBlocks(columns, cells, { ...options, noteOf });
  const formatRow = (row: readonly string[], paint: boolean) =>
    columns.map((column, index) => {
      const value = row[index] ?? "";
      const width = widths[index] ?? 0;
      const isLast = index === columns.length - 1 && column.align !== "right";
      const short = shorten(value, width);
      const cell = isLast ? short : pad(short, width, column.align);
      return paint && column.paint !== undefined ? column.paint(cell, value) : cell;
    }).join(GAP);
  const header = options.style.bold(formatRow(columns.map((column) => column.header), false));
  const indent = columns[0]?.align === "right" ? (widths[0] ?? 0) + GAP.length : GAP.length;
  const lines = cells.flatMap((row, index) => {
    const isCut = () => row.some((value, column) => widthOf(value) > (widths[column] ?? 0));
    const note = noteOf(index, isCut);
    const shown = note &&
      " ".repeat(indent) + options.style.dim(shorten(note, options.width - indent));
    return [formatRow(row, true), ...(shown ? [shown] : [])];
  });
  return [header, ...lines].join("\n");
}

/** Returns a cell's text as one line. Removes the variation selector of emoji, whose width differs between terminals. */
function toCell(text: string): string {
  return toOneLine(text).replaceAll("\ufe0f", "");
}

/** Returns column widths whose sum is at most `available`, or undefined if the columns would not be legible. */
function fitWidths<Row>(
  columns: readonly Column<Row>[],
  rows: readonly string[][],
  available: number,
): number[] | undefined {
  const natural = columns.map(({ header }, index) =>
    Math.max(widthOf(header), ...rows.map((row) => widthOf(row[index] ?? "")))
  );
  const least = natural.map((width, index) => {
    const { header = "", shrinks = false } = columns[index] ?? {};
    return shrinks ? Math.min(width, Math.max(LEGIBLE_WIDTH, widthOf(header))) : width;
  });
  return fitColumns({ natural, least, room: available - GAP.length * (columns.length - 1) });
}

/**
 * Returns column widths whose sum is at most `room`. Shortens the widest columns first. Returns undefined if the minimum
 * widths do not fit.
 */
export function fitColumns(
  { natural, least, room }: { natural: number[]; least: number[]; room: number },
): number[] | undefined {
  if (sum(least) > room) return undefined;
  // Reduces the maximum width of the columns until all columns fit.
  const widthsUnder = (cap: number) =>
    natural.map((width, index) => Math.max(Math.min(width, cap), least[index] ?? 0));
  let cap = Math.min(room, Math.max(...natural));
  while (sum(widthsUnder(cap)) > room) cap--;
  return widthsUnder(cap);
}

/** Formats each row as a block: its first cell, and below the other cells that are not empty, each with its header. */
function formatBlocks<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[][],
  { width, style, noteOf }: {
    width: number;
    style: Style;
    noteOf: (row: number, isCut: () => boolean) => string;
  },
): string {
  const label = Math.max(0, ...columns.slice(1).map(({ header }) => widthOf(header)));
  const room = Math.max(LEGIBLE_WIDTH, width - label - 2 * GAP.length);
  return cells.map((row, rowIndex) => {
    const first = row.findIndex((cell) => cell !== NOTHING);
    const kind = columns[first]?.align === "right" ? `${columns[first].header} ` : "";
    const title = row[first] ?? "";
    const note = noteOf(rowIndex, () => row.some((value) => widthOf(value) > room));
    return [
      style.bold(shorten(kind + title, Math.max(LEGIBLE_WIDTH, width))),
      ...row.flatMap((value, index) => {
        const { header = "", paint } = columns[index] ?? {};
        if (index <= first || value === "" || value === NOTHING || value === title) return [];
        const cell = shorten(value, room);
        const painted = paint === undefined ? cell : paint(cell, value);
        return [`${GAP}${style.dim(pad(header, label))}${GAP}${painted}`];
      }),
      ...(note === "" ? [] : [GAP + style.dim(shorten(note, width - GAP.length))]),
    ].join("\n");
  }).join("\n\n");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
