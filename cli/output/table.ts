// Tables that fit their terminal: columns are shortened as long as they stay legible; below that each row is a block.
import { toOneLine } from "./sanitise.ts";
import type { Style } from "./style.ts";
import { pad, shorten, widthOf } from "./width.ts";

/** One column. */
export interface Column<Row> {
  header: string;
  /** Its cell in a row: any text. */
  cell: (row: Row) => string;
  align?: "left" | "right";
  /** Whether its cells may be cut; a column that may not keeps its width. */
  shrinks?: boolean;
  /** Colours a padded cell; `value` is its text. */
  paint?: (cell: string, value: string) => string;
}

/** The line below a row: `note`, or, for a row without one whose cell was cut, `cutNote`. */
export interface TableNotes<Row> {
  note?: (row: Row) => string | undefined;
  cutNote?: (row: Row) => string;
}

/** The text of an empty cell. */
export const NOTHING = "-";

/** The text of a value, where there is one. */
export function orNothing<Value>(value: Value | null, format: (value: Value) => string): string {
  return value === null ? NOTHING : format(value);
}

const GAP = "  ";
/** A shortened column keeps this many cells, or it says nothing. */
const LEGIBLE_WIDTH = 8;

interface TableOptions<Row> extends TableNotes<Row> {
  width: number;
  style: Style;
}

/** Lines of a table, without a last line break. Cells are shown sanitised, on one line. */
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

/** One line. The mark that asks for the wide form of a sign is left out: terminals do not agree on that form. */
function toCell(text: string): string {
  return toOneLine(text).replaceAll("\ufe0f", "");
}

/** Widths within `available` cells, the widest columns shortened first; undefined when they would not be legible. */
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

/** Widths of columns that together fit the room, the widest shortened first; undefined where even the least do not. */
export function fitColumns(
  { natural, least, room }: { natural: number[]; least: number[]; room: number },
): number[] | undefined {
  if (sum(least) > room) return undefined;
  // The cap at which the shortened columns fill the room: lowered until it fits.
  const widthsUnder = (cap: number) =>
    natural.map((width, index) => Math.max(Math.min(width, cap), least[index] ?? 0));
  let cap = Math.min(room, Math.max(...natural));
  while (sum(widthsUnder(cap)) > room) cap--;
  return widthsUnder(cap);
}

/** A block for each row: its first cell, and below it what the others say that says something. */
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
