// A SQLite database as source or target of a copy: a snapshot to read, or a new file to write.
import { nextSlice } from "../../../base/slices.ts";
import type { SqliteDatabase } from "../sqlite/sqlite_database.ts";
import { BATCH_ROWS, type HistoryTarget, type Row, type Value } from "./copy_history.ts";
import { type HistoryColumn, type HistoryTable, ORDINARY_TABLES } from "./history_tables.ts";

/** The history of one SQLite file. */
export class SqliteHistory implements HistoryTarget {
  readonly place: string;
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.place = db.place;
  }

  /** Returns the names of the tables with rows. */
  findFilled(): string[] {
    return this.#db.all<{ name: string }>(ORDINARY_TABLES).map(({ name }) => name)
      .filter((name) => this.#db.get(`SELECT 1 FROM "${name}" LIMIT 1`) !== undefined);
  }

  async *read({ name, columns, key }: HistoryTable): AsyncGenerator<readonly Row[]> {
    const rows = this.#db.each(
      `SELECT ${columns.map(columnTerm).join(", ")} FROM "${name}" ORDER BY ${namesOf(key)}`,
    );
    let batch: Row[] = [];
    for (const read of rows) {
      const row = read.map((value) =>
        value instanceof Uint8Array ? new TextDecoder().decode(value) : value as Value
      );
      batch.push(row);
      if (batch.length < BATCH_ROWS) continue;
      yield batch;
      batch = [];
      // Yields to the event loop, so that a signal can abort the copy.
      await nextSlice();
    }
    if (batch.length > 0) yield batch;
  }

  readCounter({ name }: HistoryTable, counter: string): Promise<bigint> {
    // A rowid has no stored counter: the database assigns the highest existing number plus one.
    const [[highest] = []] = this.#db.each(
      `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${name}'), ` +
        `(SELECT max("${counter}") FROM "${name}"), 0)`,
    );
    return Promise.resolve(highest as bigint);
  }

  write({ name, columns }: HistoryTable, rows: readonly Row[]): Promise<void> {
    const sql = `INSERT INTO "${name}" (${namesOf(columns)}) VALUES (${
      columns.map(() => "?").join(", ")
    })`;
    return this.#change(() => {
      for (const row of rows) this.#db.run(sql, ...row);
    });
  }

  setCounter({ name }: HistoryTable, counter: string, highest: bigint): Promise<void> {
    // A rowid needs no counter, because the database derives the next number from the rows.
    if (counter === "rowid" || highest === 0n) return Promise.resolve();
    return this.#change(() => {
      this.#db.run("DELETE FROM sqlite_sequence WHERE name = ?", name);
      this.#db.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", name, highest);
    });
  }

  #change(body: () => void): Promise<void> {
    return new Promise((resolve) => resolve(this.#db.transaction("process", body)));
  }
}

function namesOf(columns: readonly HistoryColumn[]): string {
  return columns.map(({ name }) => `"${name}"`).join(", ");
}

/**
 * Returns the SQL expression that reads a column. A text with NUL is read as bytes, because the driver would cut it at the
 * NUL.
 */
function columnTerm({ name, type }: HistoryColumn): string {
  if (type !== "TEXT") return `"${name}"`;
  return `CASE WHEN instr("${name}", char(0)) > 0 THEN CAST("${name}" AS BLOB) ELSE "${name}" END`;
}
