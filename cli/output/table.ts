// Tables that fit their terminal: columns are shortened as long as they stay legible; below that each row is a block.
import { toOneLine } from "./sanitise.ts";
import type { Style } from "./style.ts";
import { pad, shorten, widthOf } from "./width.ts";

/** One column. */
export interface Column {
  header: string;
  align?: "left" | "right";
  /** Whether its cells may be cut; a column that may not keeps its width. */
  shrinks?: boolean;
  /** Colours a padded cell; `value` is what stands in it. */
  paint?: (cell: string, value: string) => string;
}

const GAP = "  ";
/** A shortened column keeps this many cells, or it says nothing. */
const LEGIBLE_WIDTH = 8;

/** Lines of a table, without a last line break. Cells may hold any text; it is shown sanitised, on one line. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { width: number; style: Style },
): string {
  const cells = rows.map((row) => columns.map((_, index) => toOneLine(row[index] ?? "")));
  const widths = fitWidths(columns, cells, options.width);
  if (widths === undefined) return formatBlocks(columns, cells, options);
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
  return [header, ...cells.map((row) => formatRow(row, true))].join("\n");
}

/** Widths within `available` cells, the widest columns shortened first; undefined when they would not be legible. */
function fitWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  available: number,
): number[] | undefined {
  const natural = columns.map(({ header }, index) =>
    Math.max(widthOf(header), ...rows.map((row) => widthOf(row[index] ?? "")))
  );
  const least = natural.map((width, index) => {
    const { header, shrinks = false } = columns[index] ?? { header: "" };
    return shrinks ? Math.min(width, Math.max(LEGIBLE_WIDTH, widthOf(header))) : width;
  });
  const room = available - GAP.length * (columns.length - 1);
  if (sum(least) > room) return undefined;
  // The cap at which the shortened columns fill the room: lowered until it fits.
  const widthsUnder = (cap: number) =>
    natural.map((width, index) => Math.max(Math.min(width, cap), least[index] ?? 0));
  let cap = Math.max(...natural);
  while (sum(widthsUnder(cap)) > room) cap--;
  return widthsUnder(cap);
}

function formatBlocks(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { width: number; style: Style },
): string {
  const [first, ...others] = columns;
  if (first === undefined) return "";
  const label = Math.max(0, ...others.map(({ header }) => widthOf(header)));
  const room = Math.max(LEGIBLE_WIDTH, options.width - label - 2 * GAP.length);
  return rows.map(([title = "", ...values]) =>
    [
      options.style.bold(shorten(title, Math.max(LEGIBLE_WIDTH, options.width))),
      ...others.map(({ header, paint }, index) => {
        const value = values[index] ?? "";
        const cell = shorten(value, room);
        const painted = paint === undefined ? cell : paint(cell, value);
        return `${GAP}${options.style.dim(pad(header, label))}${GAP}${painted}`;
      }),
    ].join("\n")
  ).join("\n\n");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
