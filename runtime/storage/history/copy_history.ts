// One history copied into an empty database, batch by batch, read back and compared.
import { createHash } from "node:crypto";
import { DatabaseUnusable } from "../database.ts";
import { toStorable } from "../postgres/dialect.ts";
import type { HistoryTable } from "./history_tables.ts";

/** A value of a row: whole numbers as bigint, the others as number. */
export type Value = string | bigint | number | null;
/** The values of a table's columns, in their order. */
export type Row = readonly Value[];

/** The most rows of a batch (PostgreSQL takes 65,535 values at once), and about the most characters of it: a longer row is a batch of its own. */
export const BATCH = { rows: 1_000, size: 4 * 1024 * 1024 };

/** The numbers of rows of batches, for rows of these sizes. */
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

/** A database that has a history. */
export interface HistorySource {
  /** Where it is, for people. */
  readonly place: string;
  /** All rows, in the order of the key's characters and numbers, in batches. */
  read(table: HistoryTable): AsyncIterable<readonly Row[]>;
  /** The highest number that its counter ever gave; 0: none. */
  readCounter(table: HistoryTable, counter: string): Promise<bigint>;
}

/** A database that gets one. */
export interface HistoryTarget extends HistorySource {
  write(table: HistoryTable, rows: readonly Row[]): Promise<void>;
  /** No number up to this one is given again. */
  setCounter(table: HistoryTable, counter: string, highest: bigint): Promise<void>;
  /** Makes what is looked for of what was written. */
  makeSearchable(): Promise<void>;
}

/** A table that was copied. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** SHA-256 over all of its rows, the same on both sides. */
  digest: string;
}

/** What came of it. */
export interface CopiedHistory {
  tables: CopiedTable[];
  /** Texts with NUL characters, each of which is U+FFFD now: PostgreSQL cannot store them. */
  changedTexts: number;
}

/** How a copy is followed, and ended early. */
export interface CopyOptions {
  signal: AbortSignal;
  /** So many rows of a table are written. `checking`: they are read back. */
  onProgress(progress: { table: string; rows: number; step: "copying" | "checking" }): void;
}

/** Copies and compares. Throws DatabaseUnusable where the copy is not the source; the caller takes it back. */
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
  await target.makeSearchable();
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
      `The copy is not what it was made of: of ${wanted?.rows} rows of ${table.name} in ${source.place}, ` +
        `${digest.rows} came back from ${target.place}, and not all as they were. The copy was removed. ` +
        "Look for triggers and rules there that are not Inkling's, and at the health of the disks",
    );
  }
  return { tables: copied, changedTexts };
}

/** SHA-256 over rows, whichever database they come from. */
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

/** No two rows of values give the same text. */
function write(value: Value): string {
  if (value === null) return "-";
  return typeof value === "string" ? `${value.length}:${value}` : `${value};`;
}
