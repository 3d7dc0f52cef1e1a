// Marks that show if a change was committed. They are read after a COMMIT without an answer: a blind retry could apply the
// change twice, and without a retry it could be lost.

/** The mark of one change: the row that it writes and the number it writes there. */
export interface ChangeMark {
  row: string;
  number: number;
}

/**
 * Assigns marks to the changes of one process. A change first writes its number into its own row, which stays locked until
 * the end of the transaction. A later read of the row waits for the lock and returns the number if the change was
 * committed.
 *
 * Decision: pg_xact_status() is not used. After a crash of PostgreSQL, another transaction may get the id of a transaction
 * that was rolled back, which then would count as committed.
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

  /** Makes the row of a change available to later changes. Call it when the outcome of the change is known. */
  release({ row }: ChangeMark): void {
    this.#free.push(row);
  }
}

/** SQL: creates the table of marks. It is not part of the migrations, because it has no persistent data. */
export const MARKS_TABLE =
  "CREATE TABLE change_marks (row TEXT PRIMARY KEY, number BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL)";

/** SQL: removes the rows of processes that have not written a mark for a day. */
export const REMOVE_OLD_MARKS = "DELETE FROM change_marks WHERE at < now() - INTERVAL '1 day'";

/** SQL: writes the mark of a change, in its transaction. */
export const WRITE_MARK = "INSERT INTO change_marks VALUES ($1, $2, now()) " +
  "ON CONFLICT (row) DO UPDATE SET number = excluded.number, at = excluded.at";

/** SQL: waits for an open change of the row, and returns the number of the last committed change, or 0. */
export const READ_MARK = "INSERT INTO change_marks VALUES ($1, 0, now()) " +
  "ON CONFLICT (row) DO UPDATE SET at = excluded.at RETURNING number";
