// The connection to PostgreSQL: a pool, prepared statements, transactions, and the shape brought up to date.
// @ts-types="@types/pg"
import type { Client, Pool, PoolClient } from "pg";
import { backoffMs } from "../../../base/backoff.ts";
import { type Clock, SystemClock } from "../../../base/clock.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { LeaseLost } from "../../executions/refusals.ts";
import {
  type Database,
  DatabaseUnusable,
  type Durability,
  StorageUnavailable,
} from "../database.ts";
import type { Operation, SqlText, SqlValue, WaitingRun } from "../operation.ts";
import { bringUpToDate } from "./bring_up_to_date.ts";
import { toPostgres, toStorable, TYPES } from "./dialect.ts";
import { describeAddress, outageReason } from "./postgres_errors.ts";
import { SCHEMA } from "./schema.ts";

const loadPg = lazyModule(() =>
  // @ts-types="@types/pg"
  import("pg")
);

/** NOTIFY's channel, on which machines wake each other. */
export const CHANNEL = "inkling";

/** Where another transaction was in the way, an operation begins anew so many times. */
const ATTEMPTS = 8;
const ATTEMPT_WAITS = { firstMs: 5, longestMs: 200 };
/** Serialization failures, deadlocks; and of two that insert one row, the second finds it when it looks again. */
const IN_THE_WAY = new Set(["40001", "40P01", "23505"]);
/** How long it is asked for what became of a transaction whose connection broke off in its last step. */
const OUTCOME_TRIES = 10;
const CONNECT_TIMEOUT_MS = 10_000;

/** What a machine has to do with the executions that it runs. */
export interface NodeHooks {
  instanceId: string;
  /** The epochs of the executions that this process has taken. */
  leases: ReadonlyMap<number, number>;
  /** Makes a job for an execution, with statements of the transaction that is open; what it returns is done once that is stored. */
  enqueue(waiting: WaitingRun, query: Query): Promise<() => void>;
  /** Hears that an execution which runs here is to end with this error. Must not throw. */
  cancelled(executionId: number, error: string): void;
}

/** Runs one statement as it is, with numbered parameters. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/** How a database is opened. */
export interface OpenPostgresOptions {
  /** postgres://user@host:port/database; the password may also come from PGPASSWORD or PGPASSFILE. */
  address: string;
  /** The most connections at once. */
  connections?: number;
  /** Absent: nothing is run here. */
  node?: NodeHooks;
  clock?: Clock;
}

/** One database of a PostgreSQL server. */
export class PostgresDatabase implements Database, AsyncDisposable {
  readonly kind = "postgres";
  readonly place: string;
  readonly #pool: Pool;
  readonly #node: NodeHooks | undefined;
  readonly #clock: Clock;
  readonly #statements = new Map<string, { name: string; text: string }>();

  private constructor(pool: Pool, { address, node, clock }: OpenPostgresOptions) {
    this.#pool = pool;
    this.#node = node;
    this.#clock = clock ?? new SystemClock();
    this.place = describeAddress(address);
  }

  /** Connects, and brings the database up to date. Rejects with DatabaseUnusable; the database is left as it was then. */
  static async open(options: OpenPostgresOptions): Promise<PostgresDatabase> {
    const { default: pg } = await loadPg();
    const pool = new pg.Pool({
      connectionString: options.address,
      max: options.connections ?? 10,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      types: TYPES as never,
      application_name: "inkling",
    });
    // An idle connection that breaks off is replaced when the next one is needed.
    pool.on("error", () => {});
    pool.on("connect", (client: Client) => {
      client.query(`SET search_path TO ${SCHEMA}`).catch(() => {});
    });
    const database = new PostgresDatabase(pool, options);
    try {
      await bringUpToDate(pool, database.place);
      return database;
    } catch (error) {
      await pool.end();
      if (error instanceof DatabaseUnusable) throw error;
      const reason = outageReason(error) ?? String(error instanceof Error ? error.message : error);
      throw new DatabaseUnusable(`Cannot use ${database.place}: ${reason}.`, { cause: error });
    }
  }

  async change<T>(_durability: Durability, operation: () => Operation<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#transact(operation);
      } catch (error) {
        const isInTheWay = error instanceof Error && "code" in error &&
          IN_THE_WAY.has(String(error.code));
        if (!isInTheWay || attempt === ATTEMPTS) throw this.#toUnavailable(error);
        const ms = backoffMs(attempt, ATTEMPT_WAITS) * (0.5 + Math.random());
        await this.#clock.sleep(ms);
      }
    }
  }

  async read<T>(operation: () => Operation<T>): Promise<T> {
    try {
      return await this.#perform(operation(), this.#pool, { announced: new Set(), after: [] });
    } catch (error) {
      throw this.#toUnavailable(error);
    }
  }

  async readBytes(): Promise<number> {
    try {
      const { rows } = await this.#pool.query(
        "SELECT pg_database_size(current_database()) AS size",
      );
      return rows[0].size;
    } catch (error) {
      throw this.#toUnavailable(error);
    }
  }

  /** Its vacuum does that by itself. */
  shrink(): Promise<void> {
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  async #transact<T>(operation: () => Operation<T>): Promise<T> {
    const client = await this.#pool.connect();
    // Why the connection must not be used again.
    let broken: Error | undefined;
    const onError = (error: Error) => broken = error;
    client.on("error", onError);
    const effects: Effects = { announced: new Set(), after: [] };
    let xid = "";
    let isEnding = false;
    let result: T | undefined;
    try {
      const begun = await client.query(
        "BEGIN; SELECT pg_current_xact_id()::text AS xid",
      ) as unknown;
      xid = (begun as { rows: { xid: string }[] }[])[1]?.rows[0]?.xid ?? "";
      result = await this.#perform(operation(), client, effects);
      if (effects.announced.size > 0) {
        const text = "SELECT pg_notify($1, 'changed ' || id) FROM unnest($2::bigint[]) AS id";
        await client.query(text, [CHANNEL, [...effects.announced]]);
      }
      isEnding = true;
      await client.query("COMMIT");
    } catch (error) {
      if (outageReason(error) !== undefined) broken ??= error as Error;
      if (broken === undefined) await client.query("ROLLBACK").catch((failed) => broken = failed);
      const isCommitted = isEnding && broken !== undefined && await this.#isCommitted(xid);
      if (!isCommitted) throw error;
    } finally {
      client.off("error", onError);
      client.release(broken ?? false);
    }
    for (const act of effects.after) act();
    return result as T;
  }

  async #perform<T>(
    operation: Operation<T>,
    client: Pool | PoolClient,
    effects: Effects,
  ): Promise<T> {
    for (let step = operation.next();;) {
      if (step.done) return step.value;
      const { value: statement } = step;
      let given: unknown;
      try {
        if ("sql" in statement) {
          const { rows, rowCount } = await this.#query(client, statement);
          given = statement.type === "run" ? rowCount : statement.type === "get" ? rows[0] : rows;
        } else if (statement.type === "lock") {
          await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
            statement.name,
          ]);
        } else if (statement.type === "afterwards") {
          effects.after.push(statement.act);
        } else if (statement.type === "announce") {
          effects.announced.add(statement.executionId);
        } else if (statement.type === "fence") {
          await this.#requireExecution(client, statement.executionId);
        } else if (statement.type === "lease") {
          await this.#requireLease(client, statement.name);
        } else {
          const query: Query = async (text, values) => {
            const { rows } = await client.query(text, values as unknown[]);
            return { rows };
          };
          const stored = await this.#node?.enqueue(statement.waiting, query);
          if (stored !== undefined) effects.after.push(stored);
        }
      } catch (error) {
        // What the operation would still tidy up it does, and nothing is left suspended.
        step = operation.throw(error);
        continue;
      }
      step = operation.next(given);
    }
  }

  #query(
    client: Pool | PoolClient,
    { sql, values }: { sql: SqlText; values: readonly SqlValue[] },
  ): Promise<{ rows: unknown[]; rowCount: number | null }> {
    const own = typeof sql === "string" ? sql : sql.postgres;
    const { name, text } = this.#statements.getOrInsertComputed(own, () => ({
      name: `s${this.#statements.size}`,
      text: toPostgres(own),
    }));
    return client.query({ name, text, values: values.map(toStorable) });
  }

  /** The row is held until the transaction ends: nobody else can take the execution meanwhile. */
  async #requireExecution(client: Pool | PoolClient, executionId: number): Promise<void> {
    if (this.#node === undefined) return;
    const { instanceId, leases } = this.#node;
    const { rows: [row] } = await client.query({
      name: "fence",
      text:
        "SELECT cancelled FROM executions WHERE id = $1 AND instance_id = $2 AND epoch = $3 FOR UPDATE",
      values: [executionId, instanceId, leases.get(executionId) ?? -1],
    });
    if (row === undefined) throw new LeaseLost(`Execution ${executionId}`);
    if (row.cancelled !== null) this.#node.cancelled(executionId, row.cancelled);
  }

  /** The same for what is leased by name. */
  async #requireLease(client: Pool | PoolClient, name: string): Promise<void> {
    if (this.#node === undefined) return;
    const { rowCount } = await client.query({
      name: "lease",
      text: "SELECT 1 FROM leases WHERE name = $1 AND instance_id = $2 FOR UPDATE",
      values: [name, this.#node.instanceId],
    });
    if (rowCount === 0) throw new LeaseLost(name);
  }

  /** What became of a transaction whose end was not heard: to try it again could do it twice. */
  async #isCommitted(xid: string): Promise<boolean> {
    let failure: unknown;
    for (let attempt = 1; attempt <= OUTCOME_TRIES; attempt++) {
      try {
        const { rows } = await this.#pool.query("SELECT pg_xact_status($1::xid8) AS status", [xid]);
        const status: unknown = rows[0]?.status;
        if (status !== "in progress") return status === "committed";
      } catch (error) {
        failure = error;
      }
      const ms = backoffMs(attempt, { firstMs: 100, longestMs: 5_000 });
      await this.#clock.sleep(ms);
    }
    throw failure ?? new Error("connection terminated, and the outcome stays unknown");
  }

  #toUnavailable(error: unknown): unknown {
    const reason = outageReason(error);
    if (reason === undefined) return error;
    return new StorageUnavailable(`Cannot use ${this.place}: ${reason}.`, { cause: error });
  }
}

/** What a transaction does besides its statements. */
interface Effects {
  announced: Set<number>;
  after: (() => void)[];
}
