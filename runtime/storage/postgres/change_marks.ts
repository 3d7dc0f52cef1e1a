// What became of a change whose end was not heard: to try it again could do it twice, to go on could lose it.

/** One change: the row that it marks, and its number there. */
export interface ChangeMark {
  row: string;
  number: number;
}

/**
 * The marks of one process. Each change writes its number into a row of its own first and holds it until it ends. Whoever asks
 * for the row afterwards waits for that, and finds the number where the change is stored.
 *
 * Decision: not pg_xact_status(), because a transaction that a crash of PostgreSQL has undone leaves its number to another one,
 * and then counts as committed.
 */
export class ChangeMarks {
  readonly #process = crypto.randomUUID();
  readonly #free: string[] = [];
  #rows = 0;
  #changes = 0;

  /** For a new change. */
  take(): ChangeMark {
    return {
      row: this.#free.pop() ?? `${this.#process} ${this.#rows++}`,
      number: ++this.#changes,
    };
  }

  /** The change has ended, and it is known how. */
  giveBack({ row }: ChangeMark): void {
    this.#free.push(row);
  }
}

/** The table of marks. It does not count as a step: nothing is kept in it. */
export const MARKS_TABLE =
  "CREATE TABLE change_marks (row TEXT PRIMARY KEY, number BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL)";

/** Rows of processes that are long over. */
export const REMOVE_OLD_MARKS = "DELETE FROM change_marks WHERE at < now() - INTERVAL '1 day'";

/** Marks a change, as part of its transaction. */
export function markStatement({ row, number }: ChangeMark): string {
  return `INSERT INTO change_marks VALUES ('${row}', ${number}, now()) ` +
    "ON CONFLICT (row) DO UPDATE SET number = excluded.number, at = excluded.at";
}

/** Gives the number of the newest change of a row that is stored, or 0, once none is open there. */
export const READ_MARK = "INSERT INTO change_marks VALUES ($1, 0, now()) " +
  "ON CONFLICT (row) DO UPDATE SET at = excluded.at RETURNING number";
