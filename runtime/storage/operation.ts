// An operation on the database: a generator that yields its statements. SQLite runs it to its end at once, PostgreSQL waits
// for each statement; the text is the same.

/** What a statement is given. */
export type SqlValue = string | number | null;

/**
 * The text of a statement, with `?` or `?1` for its values. `postgres` where PostgreSQL has no such words, which
 * postgres/dialect.ts cannot put into its own either.
 */
export type SqlText = string | { sqlite: string; postgres: string };

/** One step of an operation. */
export type Statement =
  | { type: "run" | "get" | "all"; sql: SqlText; values: readonly SqlValue[] }
  /** Until the transaction ends, every other one waits that asks for the same name. */
  | { type: "lock"; name: string }
  | { type: "fence"; executionId: number }
  /** Goes on only where this process has the lease of that name. */
  | { type: "lease"; name: string }
  | { type: "enqueue"; waiting: WaitingRun }
  | { type: "announce"; executionId: number }
  /** Is done once the transaction is stored; must not throw. */
  | { type: "afterwards"; act: () => void };

/** What yields statements, gets what they return, and returns its own result. */
export type Operation<T> = Generator<Statement, T, unknown>;

/** Runs a statement that returns no rows; gives the number of changed rows. */
export function* run(sql: SqlText, ...values: SqlValue[]): Operation<number> {
  return (yield { type: "run", sql, values }) as number;
}

/** The first row, or undefined. `Row` describes the columns that the statement names. */
export function* get<Row>(sql: SqlText, ...values: SqlValue[]): Operation<Row | undefined> {
  return (yield { type: "get", sql, values }) as Row | undefined;
}

/** All rows. */
export function* all<Row>(sql: SqlText, ...values: SqlValue[]): Operation<Row[]> {
  return (yield { type: "all", sql, values }) as Row[];
}

/** Lets transactions under one name happen one after the other. In SQLite all of them do. */
export function* lock(name: string): Operation<void> {
  yield { type: "lock", name };
}

/** Whether a value out of JSON is true, in SQL: SQLite gives 1 for it, PostgreSQL a word. Where there is none it is not. */
export function isTrue(value: string): string {
  return `coalesce(CAST(${value} AS TEXT) IN ('1', 'true'), false)`;
}

/** An execution that is to run, on whichever machine has room and what its agent needs. */
export interface WaitingRun {
  id: number;
  agentId: string;
  /** Null: no other execution waits for it. */
  parentExecutionId: number | null;
}

/**
 * What many machines need of an operation; with SQLite there is one, and nothing happens.
 *
 * `fence`: goes on only where this process has the execution, and holds its row until the transaction ends. Throws LeaseLost.
 * Gives the error with which the execution is to end, where somebody at another machine wants that.
 */
export function* fence(executionId: number): Operation<string | null> {
  return (yield { type: "fence", executionId }) as string | null | undefined ?? null;
}

/** Lets a machine take the execution, once the transaction is stored. */
export function* enqueue({ id, agentId, parentExecutionId }: WaitingRun): Operation<void> {
  yield { type: "enqueue", waiting: { id, agentId, parentExecutionId } };
}

/** Goes on only where this process has the lease of that name, until the transaction ends. Throws LeaseLost. */
export function* requireLease(name: string): Operation<void> {
  yield { type: "lease", name };
}

/** Tells all machines, once the transaction is stored, that something has changed for an execution. */
export function* announce(executionId: number): Operation<void> {
  yield { type: "announce", executionId };
}

/** Does something once the transaction is stored, and not where it is not. `act` must not throw. */
export function* afterwards(act: () => void): Operation<void> {
  yield { type: "afterwards", act };
}
