// Copies a history into an empty database in batches, reads it back and compares it.
import { createHash } from "node:crypto";
import { DatabaseUnusable } from "../../database/database.ts";
import { toStorable } from "../postgres/dialect.ts";
import type { HistoryTable } from "./history_tables.ts";

/** A value of a row. Whole numbers are bigint, other numbers are number. */
export type Value = string | bigint | number | null;
/** The values of a table's columns, in order. */
export type Row = readonly Value[];

/**
 * The maximum rows of a batch (PostgreSQL accepts 65,535 values in one statement), and its approximate maximum of characters. A
 * longer row is a separate batch.
 */
export const BATCH = { rows: 1_000, size: 4 * 1024 * 1024 };

/** Splits rows of these sizes into batches. Returns the number of rows of each. */
export function toBatches(sizes: readonly number[]): number[] {
  const batches: number[] = [];
  let count = 0;
  let total = 0;
  for (const size of sizes) {
    if (count === BATCH.rows || count > 0 && total + size > BATCH.size) {
      batches.push(count);
      count = total = 0;
    }
    count++;
    total += size;
  }
  return count > 0 ? [...batches, count] : batches;
}

/** A database with a history. */
export interface HistorySource {
  /** The place of the database, for people. */
  readonly place: string;
  /** Yields all rows in batches, ordered by the primary key. Texts are ordered by their bytes. */
  read(table: HistoryTable): AsyncIterable<readonly Row[]>;
  /** Returns the highest number that the counter has issued; 0: none. */
  readCounter(table: HistoryTable, counter: string): Promise<bigint>;
}

/** A database that receives a history. */
export interface HistoryTarget extends HistorySource {
  write(table: HistoryTable, rows: readonly Row[]): Promise<void>;
  /** Sets the counter, so that it issues only numbers above `highest`. */
  setCounter(table: HistoryTable, counter: string, highest: bigint): Promise<void>;
  /** Builds the full-text index of the copied rows. */
  buildSearchIndex(): Promise<void>;
}

/** A copied table. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** SHA-256 over all rows, equal on both sides. */
  digest: string;
}

/** The result of a copy. */
export interface CopiedHistory {
  tables: CopiedTable[];
  /** The number of texts in which U+FFFD replaced NUL characters, which PostgreSQL cannot store. */
  changedTexts: number;
}

/** The progress callback and the abort signal of a copy. */
export interface CopyOptions {
  signal: AbortSignal;
  /** Called with the number of rows that are written, or, for `checking`, read back. */
  onProgress(progress: { table: string; rows: number; step: "copying" | "checking" }): void;
}

/** Copies and compares a history. Throws DatabaseUnusable if the copy differs from the source; the caller then discards it. */
export async function copyHistory(
  tables: readonly HistoryTable[],
  { source, target }: { source: HistorySource; target: HistoryTarget },
  { signal, onProgress }: CopyOptions,
): Promise<CopiedHistory> {
  const copied: CopiedTable[] = [];
  let changedTexts = 0;
  for (const table of tables) {
    const { name, counter } = table;
    const digest = new RowDigest();
    for await (const batch of source.read(table)) {
      signal.throwIfAborted();
      const rows = batch.map((row) =>
        row.map((value) => {
          if (typeof value !== "string") return value;
          const stored = toStorable(value);
          if (stored !== value) changedTexts++;
          return stored;
        })
      );
      digest.add(rows);
      await target.write(table, rows);
      onProgress({ table: name, rows: digest.rows, step: "copying" });
    }
    if (counter !== undefined) {
      await target.setCounter(table, counter, await source.readCounter(table, counter));
    }
    copied.push({ name, rows: digest.rows, digest: digest.end() });
  }
  signal.throwIfAborted();
  await target.buildSearchIndex();
  for (const table of tables) {
    const wanted = copied.find(({ name }) => name === table.name);
    const digest = new RowDigest();
    for await (const rows of target.read(table)) {
      signal.throwIfAborted();
      digest.add(rows);
      onProgress({ table: table.name, rows: digest.rows, step: "checking" });
    }
    if (digest.rows === wanted?.rows && digest.end() === wanted.digest) continue;
    throw new DatabaseUnusable(
      `The copy differs from its source: of ${wanted?.rows} rows of ${table.name} in ${source.place}, ` +
        `${digest.rows} were read back from ${target.place}, and not all are equal. The copy was removed. ` +
        "Check for triggers and rules of other programs there, and the health of the disks",
    );
  }
  return { tables: copied, changedTexts };
}

/** SHA-256 over rows, independent of the database. */
class RowDigest {
  rows = 0;
  readonly #hash = createHash("sha256");

  add(rows: readonly Row[]): void {
    this.rows += rows.length;
    for (const row of rows) this.#hash.update(row.map(write).join(""));
  }

  end(): string {
    return this.#hash.digest("hex");
  }
}

/** Serializes a value. Different values have different texts. */
function write(value: Value): string {
  if (value === null) return "-";
  return typeof value === "string" ? `${value.length}:${value}` : `${value};`;
}
