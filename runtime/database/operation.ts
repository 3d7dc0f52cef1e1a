// Database operations: generators that yield their statements. SQLite runs an operation synchronously, PostgreSQL waits for
// each statement. The SQL text is the same.

/** A parameter of a statement. */
export type SqlValue = string | number | null;

/**
 * The text of a statement, with `?` or `?1` for its values. `postgres` is the text for PostgreSQL if postgres/dialect.ts cannot
 * translate the other.
 */
export type SqlText = string | { sqlite: string; postgres: string };

/** The new frames of an execution, in order, and its status, as their tables have them. */
export interface StoredChange {
  frames: readonly { id: number; event: string; payload: string }[];
  status: string;
}

/** One step of an operation. */
export type Statement =
  | { type: "run" | "get" | "all"; sql: SqlText; values: readonly SqlValue[] }
  /** Holds a named lock until the transaction ends. Other transactions with the same name wait. */
  | { type: "lock"; name: string }
  | { type: "fence"; executionId: number }
  /** Fails unless this process holds the lease of that name. */
  | { type: "lease"; name: string }
  | { type: "enqueue"; waiting: WaitingRun }
  | { type: "announce"; executionId: number; stored?: StoredChange }
  /** Runs after the commit. Must not throw. */
  | { type: "after_commit"; act: () => void };

/** A generator that yields statements, receives their results, and returns its own result. */
export type Operation<T> = Generator<Statement, T, unknown>;

/** Runs a statement without result rows. Returns the number of changed rows. */
export function* run(sql: SqlText, ...values: SqlValue[]): Operation<number> {
  return (yield { type: "run", sql, values }) as number;
}

/** Returns the first row, or undefined. `Row` describes the columns of the statement. */
export function* get<Row>(sql: SqlText, ...values: SqlValue[]): Operation<Row | undefined> {
  return (yield { type: "get", sql, values }) as Row | undefined;
}

/** Returns all rows. */
export function* all<Row>(sql: SqlText, ...values: SqlValue[]): Operation<Row[]> {
  return (yield { type: "all", sql, values }) as Row[];
}

/** The maximum number of rows in one statement. Each number of rows is a statement of its own for the database. */
const MAX_ROWS = 32;

/**
 * Inserts rows, many in each statement. `head` is the text before VALUES, `returning` the text after the rows. Returns the rows
 * that the statements return, in the order of the inserts.
 */
export function* insertRows<Row>(
  head: string,
  rows: readonly (readonly SqlValue[])[],
  returning = "",
): Operation<Row[]> {
  const returned: Row[] = [];
  for (let from = 0; from < rows.length; from += MAX_ROWS) {
    const part = rows.slice(from, from + MAX_ROWS);
    const marks = part.map((row) => `(${row.map(() => "?").join(", ")})`).join(", ");
    returned.push(...yield* all<Row>(`${head} VALUES ${marks}${returning}`, ...part.flat()));
  }
  return returned;
}

/** Serializes the transactions with the same name. In SQLite, all transactions are serialized. */
export function* lock(name: string): Operation<void> {
  yield { type: "lock", name };
}

/** Returns an SQL condition: a JSON value is true. SQLite returns 1 for it, PostgreSQL a word. A missing value is false. */
export function isTrue(value: string): string {
  return `coalesce(CAST(${value} AS TEXT) IN ('1', 'true'), false)`;
}

/** An execution in the queue. Any node with room and the labels of its agent may run it. */
export interface WaitingRun {
  id: number;
  agentId: string;
  /** The parent, which waits for this execution; null: none. */
  parentExecutionId: number | null;
}

/**
 * Fails unless this node runs the execution, and locks its row until the transaction ends. Throws LeaseLost. Returns the error
 * of a cancel from another node, or null. Does nothing in SQLite, which has only one node; so do the next three functions.
 */
export function* fence(executionId: number): Operation<string | null> {
  return (yield { type: "fence", executionId }) as string | null | undefined ?? null;
}

/** Adds the execution to the queue of runs when the transaction commits. */
export function* enqueue({ id, agentId, parentExecutionId }: WaitingRun): Operation<void> {
  yield { type: "enqueue", waiting: { id, agentId, parentExecutionId } };
}

/** Fails unless this process holds the lease, and keeps it until the transaction ends. Throws LeaseLost. */
export function* requireLease(name: string): Operation<void> {
  yield { type: "lease", name };
}

/** Notifies all nodes after the commit that the execution has changed, and the listeners of this database if it has new frames or a new status. */
export function* announce(executionId: number, stored?: StoredChange): Operation<void> {
  yield { type: "announce", executionId, ...(stored && { stored }) };
}

/** Runs `act` after the commit, never after a rollback. `act` must not throw. */
export function* afterCommit(act: () => void): Operation<void> {
  yield { type: "after_commit", act };
}
