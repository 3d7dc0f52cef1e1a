// Database operations: generators that yield SQL statements and receive the results. SQLite runs an operation
// synchronously; PostgreSQL waits for each result that the operation needs, and sends the other statements along with the
// next one. Both use the same SQL text.

/** A parameter of a statement. */
export type SqlValue = string | number | null;

/**
 * The SQL text of a statement, with `?` or `?1` for its values. `postgres` is a separate text, for statements that
 * postgres/dialect.ts cannot translate.
 */
export type SqlText = string | { sqlite: string; postgres: string };

/** A stored change of an execution: its new frames in order, and the state of its log. */
export interface StoredChange {
  frames: readonly { id: number; executionId: number; event: string; payload: string }[];
  state: string;
}

/** A function that receives a committed change of an execution. It must not throw. */
export type StoredListener = (executionId: number, stored: StoredChange) => void;

/** Receives the rows of a statement before the callbacks of the commit. */
type ReceiveRows = (rows: unknown[]) => void;

/** A step of an operation, which the database performs. */
export type Statement =
  | { type: "run" | "get" | "all"; sql: SqlText; values: readonly SqlValue[] }
  | { type: "send"; sql: SqlText; values: readonly SqlValue[]; receive?: ReceiveRows }
  /** Acquires a named lock until the transaction ends. Other transactions with the same name wait. */
  | { type: "lock"; name: string }
  | { type: "fence"; executionId: number; isAwaited: boolean }
  /** Throws LeaseLost unless this node holds the lease of this name. */
  | { type: "lease"; name: string }
  | { type: "enqueue"; waiting: WaitingRun }
  | { type: "announce"; executionId: number; stored?: StoredChange }
  /** Calls `act` after the commit. `act` must not throw. */
  | { type: "after_commit"; act: () => void };

/**
 * A database operation: a generator that yields statements, receives their results, and returns the result of the
 * operation.
 */
export type Operation<T> = Generator<Statement, T, unknown>;

/** Runs a statement that returns no rows. Returns the number of changed rows. */
export function* run(sql: SqlText, ...values: SqlValue[]): Operation<number> {
  return (yield { type: "run", sql, values }) as number;
}

/**
 * Runs a statement whose result the operation does not need. In PostgreSQL it saves a round trip: a later statement or the
 * commit throws its error.
 */
export function* send(sql: SqlText, ...values: SqlValue[]): Operation<void> {
  yield { type: "send", sql, values };
}

/** Returns the first row of a query, or undefined. `Row` must match its columns. */
export function* get<Row>(sql: SqlText, ...values: SqlValue[]): Operation<Row | undefined> {
  return (yield { type: "get", sql, values }) as Row | undefined;
}

/** Returns all rows of a query. `Row` must match its columns. */
export function* all<Row>(sql: SqlText, ...values: SqlValue[]): Operation<Row[]> {
  return (yield { type: "all", sql, values }) as Row[];
}

/**
 * The maximum number of rows in one INSERT statement. It also limits the number of prepared statements, because each number
 * of rows needs its own.
 */
const MAX_ROWS = 32;

/**
 * Inserts rows as send() does, up to MAX_ROWS per statement. `head` is the SQL before VALUES, `tail` the SQL after the rows.
 * `receive` receives the rows of RETURNING of each statement.
 */
export function* insertRows(
  head: string,
  rows: readonly (readonly SqlValue[])[],
  { tail = "", receive }: { tail?: string; receive?: ReceiveRows } = {},
): Operation<void> {
  for (let from = 0; from < rows.length; from += MAX_ROWS) {
    const part = rows.slice(from, from + MAX_ROWS);
    const marks = part.map((row) => `(${row.map(() => "?").join(", ")})`).join(", ");
    const sql = `${head} VALUES ${marks}${tail}`;
    yield { type: "send", sql, values: part.flat(), ...(receive && { receive }) };
  }
}

/**
 * Ensures that transactions with the same name run one after the other. In SQLite, all transactions run one after the
 * other.
 */
export function* lock(name: string): Operation<void> {
  yield { type: "lock", name };
}

/**
 * Returns an SQL condition that is true if a JSON value is true. Hides that SQLite returns 1 and PostgreSQL a word. A
 * missing value is false.
 */
export function isTrue(value: string): string {
  return `coalesce(CAST(${value} AS TEXT) IN ('1', 'true'), false)`;
}

/**
 * An execution that waits in the queue. Any node with a free slot and with the labels that the agent requires may run the
 * execution.
 */
export interface WaitingRun {
  id: number;
  agentId: string;
  /** The id of the parent execution, which waits for this execution; null if there is none. */
  parentExecutionId: number | null;
}

/**
 * Locks the row of an execution until the transaction ends. Before the commit, throws LeaseLost if another node runs the
 * execution. In SQLite this function and the next four do nothing, because there is only one node.
 */
export function* fence(executionId: number): Operation<void> {
  yield { type: "fence", executionId, isAwaited: false };
}

/** Locks the row as fence() does. Returns the error of a requested cancel, or null. Throws LeaseLost. */
export function* fenceEnding(executionId: number): Operation<string | null> {
  return (yield { type: "fence", executionId, isAwaited: true }) as string | null | undefined ??
    null;
}

/** Adds an execution to the queue when the transaction commits. */
export function* enqueue({ id, agentId, parentExecutionId }: WaitingRun): Operation<void> {
  yield { type: "enqueue", waiting: { id, agentId, parentExecutionId } };
}

/** Locks a lease until the transaction ends. Before the commit, throws LeaseLost if this node does not hold it. */
export function* requireLease(name: string): Operation<void> {
  yield { type: "lease", name };
}

/**
 * After the commit, notifies all nodes that an execution has changed. If `stored` is given, also calls the listeners of
 * this database. SQLite has no other nodes to notify.
 */
export function* announce(executionId: number, stored?: StoredChange): Operation<void> {
  yield { type: "announce", executionId, ...(stored && { stored }) };
}

/** Calls `act` after the commit, and never after a rollback. `act` must not throw. */
export function* afterCommit(act: () => void): Operation<void> {
  yield { type: "after_commit", act };
}
