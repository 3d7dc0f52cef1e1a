// A PostgreSQL database. Runs operations as prepared statements in transactions, over the pool of connections.ts.
// @ts-types="@types/pg"
import type { PoolClient } from "pg";
import { backoffMs } from "../../../base/backoff.ts";
import { type Clock, SystemClock } from "../../../base/clock.ts";
import {
  type Database,
  DatabaseUnusable,
  type Durability,
  LeaseLost,
  StorageUnavailable,
} from "../../database/database.ts";
import type { Operation, SqlText, SqlValue, WaitingRun } from "../../database/operation.ts";
import { StoredListeners } from "../../database/stored_listeners.ts";
import { migrate } from "./bring_up_to_date.ts";
import { type ChangeMark, ChangeMarks, READ_MARK } from "./change_marks.ts";
import type { ConnectionLimits } from "./connection.ts";
import { Connections } from "./connections.ts";
import { toPostgres, toStorable } from "./dialect.ts";
import { ConnectionLost, unusableServer } from "./postgres_errors.ts";
import { type OpenTransaction, Transaction } from "./transaction.ts";

/** The maximum number of attempts of an operation after conflicts with other transactions. */
const ATTEMPTS = 8;
const ATTEMPT_WAITS = { firstMs: 5, longestMs: 200 };
/** SQLSTATEs of conflicts: serialization failure, deadlock, and unique violation. A retry finds the other row. */
const CONFLICTS = new Set(["40001", "40P01", "23505"]);
/** The number of attempts to read the outcome of a change after a COMMIT without an answer. */
const OUTCOME_TRIES = 10;

/** The callbacks of a node that runs executions. */
export interface NodeHooks {
  instanceId: string;
  /** The epochs of the executions that this node has claimed, by execution id. */
  leases: ReadonlyMap<number, number>;
  /** Creates a job for an execution in the open transaction. */
  enqueue(waiting: WaitingRun, transaction: OpenTransaction): Promise<void>;
  /** Called if another node has requested to end an execution of this node with `error`. Must not throw. */
  cancelled(executionId: number, error: string): void;
}

/** The options for opening a PostgreSQL database. */
export interface OpenPostgresOptions {
  /** The address, `postgres://user@host:port/database`. The password may also be in PGPASSWORD or PGPASSFILE. */
  address: string;
  /** The maximum number of connections. */
  connections?: number;
  /** False if the schema must not be migrated. The open then fails unless the schema has this version. */
  migrates?: boolean;
  /** The callbacks of this node; absent if this process runs no executions. */
  node?: NodeHooks;
  clock?: Clock;
  /** Limits that replace those of CONNECTION_LIMITS. */
  limits?: Partial<ConnectionLimits>;
}

/** A PostgreSQL database that runs operations in transactions. */
export class PostgresDatabase implements Database, AsyncDisposable {
  readonly kind = "postgres";
  readonly place: string;
  readonly stored = new StoredListeners();
  readonly #connections: Connections;
  readonly #node: NodeHooks | undefined;
  readonly #clock: Clock;
  readonly #marks = new ChangeMarks();
  readonly #statements = new Map<string, { name: string; text: string }>();

  private constructor(connections: Connections, clock: Clock, node: NodeHooks | undefined) {
    this.#connections = connections;
    this.#clock = clock;
    this.#node = node;
    this.place = connections.place;
  }

  /** Connects to the database and migrates it. Rejects with DatabaseUnusable, without having changed the database. */
  static async open(options: OpenPostgresOptions): Promise<PostgresDatabase> {
    const { address, connections: most = 10, node, clock = new SystemClock(), limits } = options;
    const connections = await Connections.open({ address, maxConnections: most, clock, limits });
    try {
      await connections.use((client) =>
        migrate(connections.queryWith(client), {
          place: connections.place,
          migrates: options.migrates ?? true,
        })
      );
      return new PostgresDatabase(connections, clock, node);
    } catch (error) {
      await connections[Symbol.asyncDispose]();
      if (error instanceof DatabaseUnusable) throw error;
      if (error instanceof StorageUnavailable) {
        throw new DatabaseUnusable(error.message, { cause: error.cause });
      }
      throw unusableServer(connections.place, error);
    }
  }

  async change<T>(durability: Durability, operation: () => Operation<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#transact(durability, operation);
      } catch (error) {
        // The change was not committed. The idle connection may have been dead, so a new one is tried.
        if (error instanceof ConnectionLost && attempt === 1) continue;
        const code = error instanceof Error && "code" in error ? String(error.code) : "";
        if (!CONFLICTS.has(code)) throw error;
        if (attempt === ATTEMPTS) {
          if (code === "23505") throw error;
          throw new StorageUnavailable(
            `Cannot use ${this.place}: other changes keep conflicting with this one. Check its load.`,
            { cause: error },
          );
        }
        const ms = backoffMs(attempt, ATTEMPT_WAITS) * (0.5 + Math.random());
        await this.#clock.sleep(ms);
      }
    }
  }

  read<T>(operation: () => Operation<T>): Promise<T> {
    return this.#perform(operation(), undefined, new Transaction());
  }

  async readBytes(): Promise<number> {
    const text = "SELECT pg_database_size(current_database()) AS size";
    const { rows } = await this.#connections.send(undefined, { text });
    return rows[0].size;
  }

  /** Does nothing, because PostgreSQL's vacuum frees the space. */
  shrink(): Promise<void> {
    return Promise.resolve();
  }

  /** Aborts all statements. Afterwards all calls reject with DatabaseUnreachable and this reason. */
  abortAll(problem: string): void {
    this.#connections.abortAll(problem);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  async #transact<T>(durability: Durability, operation: () => Operation<T>): Promise<T> {
    const transaction = new Transaction();
    const mark = this.#marks.acquire();
    transaction.begin(durability, mark);
    let isEnding = false;
    let result: T | undefined;
    try {
      await this.#connections.use(async (client) => {
        try {
          result = await this.#perform(operation(), client, transaction);
          isEnding = true;
          const results = await this.#connections.send(client, { text: transaction.end });
          const { command } = [results].flat().at(-1) ?? {};
          if (command !== "COMMIT") {
            throw new TypeError(
              "An operation went on after an error, and PostgreSQL has undone it",
            );
          }
          this.#marks.release(mark);
        } catch (error) {
          // After a lost connection no ROLLBACK is possible: the server itself has committed or rolled back.
          if (!(error instanceof ConnectionLost)) {
            await this.#connections.send(client, { text: "ROLLBACK" });
          }
          throw error;
        }
      });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) {
        this.#marks.release(mark);
        throw error;
      }
      // The mark is not released, because the server may still lock its row.
      if (!isEnding || !await this.#isCommitted(mark, transaction)) throw error;
    }
    transaction.runCallbacks();
    return result as T;
  }

  async #perform<T>(
    operation: Operation<T>,
    client: PoolClient | undefined,
    transaction: Transaction,
  ): Promise<T> {
    for (let step = operation.next();;) {
      if (step.done) return step.value;
      const { value: statement } = step;
      let given: unknown;
      try {
        const before = transaction.flushBegin(statement);
        if (before !== "") await this.#connections.send(client, { text: before });
        if ("sql" in statement) {
          const { rows, rowCount } = await this.#query(client, statement);
          given = statement.type === "run" ? rowCount : statement.type === "get" ? rows[0] : rows;
        } else if (statement.type === "after_commit") {
          transaction.afterCommit(statement.act);
        } else if (statement.type === "announce") {
          transaction.announce(statement.executionId);
          transaction.afterCommit(this.stored.reportOf(statement));
        } else if (statement.type === "fence") {
          given = await this.#requireExecution(client, statement.executionId);
          transaction.fenced = statement.executionId;
        } else if (statement.type === "lease") {
          await this.#requireLease(client, statement.name);
        } else if (statement.type === "enqueue") {
          await this.#enqueue(statement.waiting, { client, transaction });
        }
      } catch (error) {
        // Throws the error into the operation, so that its finally blocks run.
        step = operation.throw(error);
        continue;
      }
      step = operation.next(given);
    }
  }

  async #enqueue(
    waiting: WaitingRun,
    { client, transaction }: { client: PoolClient | undefined; transaction: Transaction },
  ): Promise<void> {
    // pg-boss sends a long statement, which is prepared once per connection.
    const query = (text: string, values: readonly unknown[] = []) => {
      const key = `queue: ${text}`;
      const create = () => ({ name: `s${this.#statements.size}`, text });
      const { name } = this.#statements.getOrInsertComputed(key, create);
      return this.#connections.send(client, { name, text, values: [...values] });
    };
    const beforeCommit = (text: string) => transaction.beforeCommit(text);
    const afterCommit = (act: () => void) => transaction.afterCommit(act);
    await this.#node?.enqueue(waiting, { query, beforeCommit, afterCommit });
  }

  #query(
    client: PoolClient | undefined,
    { sql, values }: { sql: SqlText; values: readonly SqlValue[] },
  ): Promise<{ rows: unknown[]; rowCount: number | null }> {
    const own = typeof sql === "string" ? sql : sql.postgres;
    const { name, text } = this.#statements.getOrInsertComputed(own, () => ({
      name: `s${this.#statements.size}`,
      text: toPostgres(own),
    }));
    return this.#connections.send(client, { name, text, values: values.map(toStorable) });
  }

  /** Locks an execution's row for the transaction. Returns the error of a requested cancel. Throws LeaseLost. */
  async #requireExecution(
    client: PoolClient | undefined,
    executionId: number,
  ): Promise<string | null> {
    if (this.#node === undefined) return null;
    const { instanceId, leases } = this.#node;
    const { rows: [row] } = await this.#connections.send(client, {
      name: "fence",
      text:
        "SELECT cancelled FROM executions WHERE id = $1 AND instance_id = $2 AND epoch = $3 FOR UPDATE",
      values: [executionId, instanceId, leases.get(executionId) ?? -1],
    });
    if (row === undefined) throw new LeaseLost(`Execution ${executionId}`);
    if (row.cancelled !== null) this.#node.cancelled(executionId, row.cancelled);
    return row.cancelled;
  }

  /** Locks a named lease until the transaction ends. Throws LeaseLost if this node does not hold it. */
  async #requireLease(client: PoolClient | undefined, name: string): Promise<void> {
    if (this.#node === undefined) return;
    const { rowCount } = await this.#connections.send(client, {
      name: "lease",
      text: "SELECT 1 FROM leases WHERE name = $1 AND instance_id = $2 FOR UPDATE",
      values: [name, this.#node.instanceId],
    });
    if (rowCount === 0) throw new LeaseLost(name);
  }

  /** Returns true if a change was committed. Called after a COMMIT without an answer. */
  async #isCommitted({ row, number }: ChangeMark, { fenced }: Transaction): Promise<boolean> {
    let failure: unknown;
    for (let attempt = 1; attempt <= OUTCOME_TRIES; attempt++) {
      try {
        const { rows } = await this.#connections.send(undefined, {
          text: READ_MARK,
          values: [row],
        });
        return rows[0].number === number;
      } catch (error) {
        failure = error;
      }
      const ms = backoffMs(attempt, { firstMs: 100, longestMs: 5_000 });
      await this.#clock.sleep(ms);
    }
    // The outcome is unknown, and a retry might store the change twice. The node gives up the execution, and the next owner
    // continues from the stored state.
    if (fenced !== undefined) throw new LeaseLost(`Execution ${fenced}`);
    throw new StorageUnavailable(
      `Cannot use ${this.place}: the connection broke off at the end of a change, and it is unknown if the change is stored.`,
      { cause: failure },
    );
  }
}
