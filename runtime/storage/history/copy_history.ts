// Copies a history (all executions and their data) into an empty database in batches, reads the copy back, and compares it
// with the source.
import { createHash } from "node:crypto";
import { DatabaseUnusable } from "../../database/database.ts";
import { toStorable } from "../postgres/dialect.ts";
import type { HistoryTable } from "./history_tables.ts";

/** A value of a row. A whole number is a bigint, any other number a number. */
export type Value = string | bigint | number | null;
/** The values of one row, in the order of the table's columns. */
export type Row = readonly Value[];

/** The maximum number of rows of a batch. It is small, because a message may contain several pictures of 5 MB. */
export const BATCH_ROWS = 20;

/** A database from which a history is copied. */
export interface HistorySource {
  /** The path or address of the database, for messages. */
  readonly place: string;
  /** Yields all rows of a table in batches, ordered by the primary key. Texts are ordered by their bytes. */
  read(table: HistoryTable): AsyncIterable<readonly Row[]>;
  /** Returns the highest number that a counter column has assigned; 0 if it has assigned none. */
  readCounter(table: HistoryTable, counter: string): Promise<bigint>;
}

/** A database into which a history is copied. */
export interface HistoryTarget extends HistorySource {
  write(table: HistoryTable, rows: readonly Row[]): Promise<void>;
  /** Sets a counter column, so that it assigns only numbers above `highest`. */
  setCounter(table: HistoryTable, counter: string, highest: bigint): Promise<void>;
}

/** The report about one copied table. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** The SHA-256 digest of all rows. Source and copy have the same digest. */
  digest: string;
}

/** The result of a copy. */
export interface CopiedHistory {
  tables: CopiedTable[];
  /** The number of texts in which NUL characters were replaced by U+FFFD, because PostgreSQL cannot store NUL. */
  changedTexts: number;
}

/** The progress callback and the abort signal of a copy. */
export interface CopyOptions {
  signal: AbortSignal;
  /** Called after each batch. `rows` is the number of rows written or, while `checking`, read back. */
  onProgress(progress: { table: string; rows: number; step: "copying" | "checking" }): void;
}

/**
 * Copies a history and compares the copy with the source. Throws DatabaseUnusable if they differ; the caller must then
 * discard the copy.
 */
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

/** Calculates a SHA-256 digest of rows that is equal in both databases. */
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

/** Serializes a value for the digest. Different values have different texts. */
function write(value: Value): string {
  if (value === null) return "-";
  return typeof value === "string" ? `${value.length}:${value}` : `${value};`;
}
