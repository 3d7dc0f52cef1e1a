// Marks of changes. After a COMMIT without an answer, the mark shows if the change was committed. A blind retry could apply it
// twice, and no retry could lose it.

/** The mark of one change: its row and its number. */
export interface ChangeMark {
  row: string;
  number: number;
}

/**
 * The marks of one process. Each change first writes its number into its own row and locks the row until the end. A later read of
 * the row waits for that lock, and returns the number if the change was committed.
 *
 * Decision: not pg_xact_status(), because another transaction may get the number of a transaction that a crash of PostgreSQL has
 * undone. The undone transaction then counts as committed.
 */
export class ChangeMarks {
  readonly #process = crypto.randomUUID();
  readonly #free: string[] = [];
  #rows = 0;
  #changes = 0;

  /** Returns a mark for a new change. */
  acquire(): ChangeMark {
    return {
      row: this.#free.pop() ?? `${this.#process} ${this.#rows++}`,
      number: ++this.#changes,
    };
  }

  /** Releases the row of a change with a known outcome. */
  release({ row }: ChangeMark): void {
    this.#free.push(row);
  }
}

/** The table of marks. It is no migration, because it has no persistent data. */
export const MARKS_TABLE =
  "CREATE TABLE change_marks (row TEXT PRIMARY KEY, number BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL)";

/** Removes the rows of processes that ended long ago. */
export const REMOVE_OLD_MARKS = "DELETE FROM change_marks WHERE at < now() - INTERVAL '1 day'";

/** Returns the statement that marks a change in its transaction. */
export function markStatement({ row, number }: ChangeMark): string {
  return `INSERT INTO change_marks VALUES ('${row}', ${number}, now()) ` +
    "ON CONFLICT (row) DO UPDATE SET number = excluded.number, at = excluded.at";
}

/** Waits for an open change of the row, and returns the number of the last committed one, or 0. */
export const READ_MARK = "INSERT INTO change_marks VALUES ($1, 0, now()) " +
  "ON CONFLICT (row) DO UPDATE SET at = excluded.at RETURNING number";
