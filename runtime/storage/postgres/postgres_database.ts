// A PostgreSQL database. Runs operations as prepared statements in transactions, over the pool of connections.ts.
// @ts-types="@types/pg"
import type { PoolClient } from "pg";
import { backoffMs } from "../../../base/backoff.ts";
import { KeyedQueue } from "../../../base/serial_queue.ts";
import { type Clock, SystemClock } from "../../../base/clock.ts";
import {
  type Database,
  DatabaseUnusable,
  type Durability,
  LeaseLost,
  StorageUnavailable,
} from "../../database/database.ts";
import type { Operation, Statement, StoredListener } from "../../database/operation.ts";
import { migrate } from "./bring_up_to_date.ts";
import { type ChangeMark, ChangeMarks, READ_MARK } from "./change_marks.ts";
import type { ConnectionLimits } from "./connection.ts";
import { Connections } from "./connections.ts";
import { type NodeHooks, OperationSteps } from "./operation_steps.ts";
import { ConnectionLost, unusableServer } from "./postgres_errors.ts";
import { Transaction } from "./transaction.ts";

/** The maximum number of attempts of an operation after conflicts with other transactions. */
const ATTEMPTS = 8;
const ATTEMPT_WAITS = { firstMs: 5, longestMs: 200 };
/** SQLSTATEs of conflicts: serialization failure, deadlock, and unique violation. A retry finds the other row. */
const CONFLICTS = new Set(["40001", "40P01", "23505"]);
/** The number of attempts to read the outcome of a change after a COMMIT without an answer. */
const OUTCOME_TRIES = 10;

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
  readonly stored = new Set<StoredListener>();
  readonly #connections: Connections;
  readonly #clock: Clock;
  readonly #marks = new ChangeMarks();
  readonly #steps: OperationSteps;
  readonly #turns = new KeyedQueue<number>();

  private constructor(connections: Connections, clock: Clock, node: NodeHooks | undefined) {
    this.#connections = connections;
    this.#clock = clock;
    this.#steps = new OperationSteps(this.stored, node);
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

  async read<T>(operation: () => Operation<T>): Promise<T> {
    const running = operation();
    const transaction = new Transaction();
    return await this.#perform(running, { first: running.next(), client: undefined, transaction });
  }

  async readBytes(): Promise<number> {
    const text = "SELECT pg_database_size(current_database()) AS size";
    const [result] = await this.#connections.send(undefined, [{ text }]);
    return result?.rows[0].size;
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
    const running = operation();
    const first = running.next();
    // The answers to two commits may arrive in another order than the commits. The next change of an execution therefore
    // begins after the callbacks of the previous one, so that the listeners get all frames in order.
    using _turn = !first.done && first.value.type === "fence"
      ? await this.#turns.take(first.value.executionId)
      : undefined;
    const transaction = new Transaction();
    const mark = this.#marks.acquire();
    transaction.begin(durability, mark);
    let isEnding = false;
    let isAnswered = true;
    let result: T | undefined;
    try {
      await this.#connections.use(async (client) => {
        try {
          result = await this.#perform(running, { first, client, transaction });
          if (transaction.hasChecks) await this.#flush(client, transaction);
          isEnding = true;
          let command: string | undefined;
          transaction.add({
            query: { text: transaction.end },
            receive: (results) => ({ command } = [results].flat().at(-1) ?? { command }),
          });
          await this.#flush(client, transaction);
          if (command !== "COMMIT") {
            throw new TypeError(
              "An operation went on after an error, and PostgreSQL has undone it",
            );
          }
          this.#marks.release(mark);
        } catch (error) {
          // After a lost connection no ROLLBACK is possible: the server itself has committed or rolled back.
          if (!(error instanceof ConnectionLost)) {
            await this.#connections.send(client, [{ text: "ROLLBACK" }]);
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
      isAnswered = false;
    }
    transaction.runCallbacks(isAnswered);
    return result as T;
  }

  async #perform<T>(
    operation: Operation<T>,
    { first, client, transaction }: {
      first: IteratorResult<Statement, T>;
      client: PoolClient | undefined;
      transaction: Transaction;
    },
  ): Promise<T> {
    for (let step = first;;) {
      if (step.done) return step.value;
      const { value: statement } = step;
      let given: unknown;
      try {
        const add = this.#steps.add(statement, transaction, (value) => given = value);
        if (typeof add === "boolean" ? add : await add) await this.#flush(client, transaction);
      } catch (error) {
        // Throws the error into the operation, so that its finally blocks run.
        step = operation.throw(error);
        continue;
      }
      step = operation.next(given);
    }
  }

  /**
   * Sends the collected statements of a transaction and waits for their results. A failed check is thrown rather than the
   * error of a later statement: a node that lost its lease may violate a constraint.
   */
  async #flush(client: PoolClient | undefined, transaction: Transaction): Promise<void> {
    const sent = transaction.take();
    await this.#connections.send(
      client,
      sent.map(({ query }) => query),
      (result, index) => sent[index]?.receive?.(result),
    );
  }

  /** Returns true if a change was committed. Called after a COMMIT without an answer. */
  async #isCommitted({ row, number }: ChangeMark, { fenced }: Transaction): Promise<boolean> {
    let failure: unknown;
    for (let attempt = 1; attempt <= OUTCOME_TRIES; attempt++) {
      try {
        const read = { text: READ_MARK, values: [row] };
        const [result] = await this.#connections.send(undefined, [read]);
        return result?.rows[0].number === number;
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
