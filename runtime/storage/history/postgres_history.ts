// A history in PostgreSQL, as source or target of a copy. It uses one connection with one transaction.
// @ts-types="@types/pg"
import type { Client } from "pg";
import { DatabaseUnusable, StorageUnavailable } from "../../database/database.ts";
import { isAlive } from "../../database/instances.ts";
import {
  CONNECTION_LIMITS,
  loadPg,
  prepareConnection,
  toClientConfig,
} from "../postgres/connection.ts";
import { toPostgres } from "../postgres/dialect.ts";
import { describeAddress, outageReason } from "../postgres/postgres_errors.ts";
import { SCHEMA, STEPS } from "../postgres/schema.ts";
import { BATCH_ROWS, type HistoryTarget, type Row, type Value } from "./copy_history.ts";
import {
  EXCLUDED,
  type HistoryColumn,
  type HistoryTable,
  type PostgresColumn,
} from "./history_tables.ts";

/** The maximum time for which the other database may work on a batch, without a statement on this connection. */
const SILENT_MS = 60_000;
/** The maximum wait for the lock of a table. Writes of nodes queue behind it; their heartbeats time out after 5 s. */
const LOCK_MS = 3_000;

/** SQL for values that SQLite requires and that PostgreSQL may lack: an execution's owner becomes the newest instance. */
const WHERE_ABSENT: Readonly<Record<string, string>> = {
  "executions.instance_id": "(SELECT id FROM instances ORDER BY rowid DESC LIMIT 1)",
};

/** Type parsers of `pg` that return whole numbers as bigint, as copy_history.ts requires. */
const TYPES = {
  getTypeParser: (oid: number) => {
    if (oid === 20 || oid === 21 || oid === 23) return BigInt;
    return oid === 701 ? Number : (text: string) => text;
  },
};

/** The history in one PostgreSQL database. The dispose rolls back uncommitted changes. */
export class PostgresHistory implements HistoryTarget, AsyncDisposable {
  readonly place: string;
  readonly #client: Client;
  readonly #signal: AbortSignal;

  private constructor(client: Client, address: string, signal: AbortSignal) {
    this.#client = client;
    this.place = describeAddress(address);
    this.#signal = signal;
  }

  /** Connects to the database. `signal` closes the connection. Like all other methods, rejects with StorageUnavailable if the server fails. */
  static async connect(
    address: string,
    { signal, silentMs = SILENT_MS }: { signal: AbortSignal; silentMs?: number },
  ): Promise<PostgresHistory> {
    const { default: pg } = await loadPg();
    signal.throwIfAborted();
    const client = new pg.Client({
      ...await toClientConfig(address),
      types: TYPES as never,
      application_name: "inkling move-history",
    });
    // The running statement rejects with the same error.
    client.on("error", () => {});
    const history = new PostgresHistory(client, address, signal);
    signal.addEventListener("abort", () => void client.end().catch(() => {}));
    try {
      await client.connect();
      await prepareConnection(client, { ...CONNECTION_LIMITS, silentMs });
      // The server may have a time limit for statements, and the statements of a copy may take longer.
      await client.query("SET statement_timeout = 0");
    } catch (error) {
      await client.end().catch(() => {});
      throw history.#toUnavailable(error);
    }
    return history;
  }

  /** Throws DatabaseUnusable if the database has no history that this version can read. */
  async requireShape(): Promise<void> {
    const there = await this.#rows(`SELECT to_regclass('${SCHEMA}.schema_steps')::text`);
    if (there[0]?.[0] === null) {
      throw new DatabaseUnusable(`There is no history in ${this.place}: nothing to copy`);
    }
    const [[version] = []] = await this.#rows("SELECT max(version) FROM schema_steps");
    if (version === BigInt(STEPS.length)) return;
    throw new DatabaseUnusable(
      Number(version) > STEPS.length
        ? `Cannot read ${this.place}: it was written by a newer Inkling. Update Inkling on this machine`
        : `Cannot read ${this.place}: it was written by an older Inkling. ` +
          "Start a service of this version on it once, which brings it up to date, and stop it",
    );
  }

  /** Returns the columns of all tables. */
  async readColumns(): Promise<PostgresColumn[]> {
    const rows = await this.#rows(
      "SELECT table_name::text, column_name::text, is_identity::text FROM information_schema.columns " +
        `WHERE table_schema = '${SCHEMA}'`,
    );
    return rows.map(([table, column, isIdentity]) => ({
      table: String(table),
      column: String(column),
      isCounter: isIdentity === "YES",
    }));
  }

  /** Returns the nodes with a recent heartbeat, by the database's clock, as `name (PID 7)`. */
  async findLivingNodes(): Promise<string[]> {
    const node = "coalesce(name, id) || ' (PID ' || pid || ')'";
    const rows = await this.#rows(
      `SELECT ${node} FROM instances WHERE ${isAlive("instances.id")} ORDER BY 1`,
    );
    return rows.map(([name]) => String(name));
  }

  /** Starts to read a snapshot. Other processes cannot write until the dispose. Throws as beginWriting() does. */
  async beginReading(tables: readonly HistoryTable[]): Promise<void> {
    // The other database may take long to finish. Without this setting, the server might end the idle transaction.
    const lasting = "SET LOCAL idle_in_transaction_session_timeout = 0";
    const how = `ISOLATION LEVEL REPEATABLE READ READ ONLY; ${lasting}`;
    await this.#begin(how, { tables, mode: "SHARE" });
  }

  /** Throws DatabaseUnusable if the encoding of the database cannot store all characters. */
  async requireEncoding(): Promise<void> {
    const [[encoding] = []] = await this.#rows("SHOW server_encoding");
    if (encoding === "UTF8") return;
    throw new DatabaseUnusable(
      `Cannot use ${this.place}: its encoding is ${encoding}, which does not have all characters. ` +
        "Make another: createdb --encoding=UTF8 --template=template0",
    );
  }

  /** Starts to write and excludes other writers until the end. Throws DatabaseUnusable if a table is in use. */
  async beginWriting(tables: readonly HistoryTable[]): Promise<void> {
    await this.#begin("", { tables, mode: "EXCLUSIVE" });
  }

  /** Starts a transaction and locks the tables. Its snapshot is the state at the first SELECT after the locks. */
  async #begin(
    how: string,
    { tables, mode }: { tables: readonly HistoryTable[]; mode: "SHARE" | "EXCLUSIVE" },
  ): Promise<void> {
    const names = tables.map(({ name }) => `"${name}"`).join(", ");
    try {
      // No NOWAIT: PostgreSQL cancels a blocking autovacuum only while a session waits for the lock.
      await this.#run(
        `BEGIN ${how}; SET LOCAL lock_timeout = ${LOCK_MS}; LOCK TABLE ${names} IN ${mode} MODE`,
      );
    } catch (error) {
      const { cause } = error as { cause?: { code?: unknown } };
      // 55P03 is a lock timeout, 40P01 a deadlock.
      if (cause?.code !== "55P03" && cause?.code !== "40P01") throw error;
      throw new DatabaseUnusable(
        `Another Inkling is writing into ${this.place}, or copies a history there. Stop it, and run this again`,
      );
    }
  }

  /** Returns the names of tables with rows. Works with every version of the schema. */
  async findFilled(): Promise<string[]> {
    const names = new Set((await this.readColumns()).map(({ table }) => table));
    // Without this table, the schema is empty or belongs to another program.
    if (!names.has("schema_steps")) return [];
    const selects = [...names].filter((name) => !(name in EXCLUDED))
      .map((name) => `SELECT '${name}' WHERE EXISTS (SELECT 1 FROM "${name}")`);
    const rows = await this.#rows(`${selects.join(" UNION ALL ")} ORDER BY 1`);
    return rows.map(([name]) => String(name));
  }

  async *read(table: HistoryTable): AsyncGenerator<readonly Row[]> {
    const order = table.key.map(orderTerm).join(", ");
    const values = table.columns.map((column) => valueOf(table, column)).join(", ");
    await this.#run(
      `DECLARE rows CURSOR FOR SELECT ${values} FROM "${table.name}" ORDER BY ${order}`,
    );
    for (let rows; (rows = await this.#rows(`FETCH ${BATCH_ROWS} FROM rows`)).length > 0;) {
      yield rows;
    }
    await this.#run("CLOSE rows");
  }

  async readCounter({ name }: HistoryTable, counter: string): Promise<bigint> {
    const [[sequence] = []] = await this.#rows(
      `SELECT pg_get_serial_sequence('${SCHEMA}."${name}"', '${counter}')`,
    );
    const [[highest] = []] = await this.#rows(
      `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${sequence}`,
    );
    return highest as bigint;
  }

  async write({ name, columns }: HistoryTable, rows: readonly Row[]): Promise<void> {
    const names = columns.map((column) => `"${column.name}"`).join(", ");
    const places = rows.map((_, row) =>
      `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(", ")})`
    );
    await this.#ask(() =>
      this.#client.query({
        text: `INSERT INTO "${name}" (${names}) VALUES ${places.join(", ")}`,
        values: rows.flat(),
      })
    );
  }

  async setCounter({ name }: HistoryTable, counter: string, highest: bigint): Promise<void> {
    // Unlike setval(), a rollback of the transaction undoes this statement.
    await this.#run(`ALTER TABLE "${name}" ALTER COLUMN "${counter}" RESTART WITH ${highest + 1n}`);
  }

  /** Rejects if the connection was lost, because its locks no longer exclude writers. */
  async requireConnected(): Promise<void> {
    await this.#run("SELECT 1");
  }

  /**
   * Commits the written rows. Before that, adds the answers to the search texts: the SQL triggers did so only for rows with
   * a request.
   */
  async commit(): Promise<void> {
    this.#signal.throwIfAborted();
    await this.#run(toPostgres(
      "UPDATE executions SET error = error WHERE request ->> '$.message' IS NULL " +
        "AND (output_data IS NOT NULL OR error IS NOT NULL)",
    ));
    try {
      await this.#client.query("COMMIT");
    } catch (cause) {
      throw new StorageUnavailable(
        `The connection to ${this.place} broke off at the very end: whether the history is there is not known. ` +
          "Run this again: it says whether there is one",
        { cause },
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  async #run(text: string): Promise<void> {
    await this.#ask(() => this.#client.query(text));
  }

  async #rows(text: string): Promise<Row[]> {
    const { rows } = await this.#ask(() => this.#client.query<Value[]>({ text, rowMode: "array" }));
    return rows;
  }

  async #ask<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (error) {
      throw this.#toUnavailable(error);
    }
  }

  #toUnavailable(error: unknown): unknown {
    // The abort signal closed the connection.
    if (this.#signal.aborted) return this.#signal.reason;
    const reason = outageReason(error) ?? (error instanceof Error ? error.message : String(error));
    // The part about a running service does not apply here and is removed.
    const [what] = reason.split(". A running service");
    return new StorageUnavailable(`Cannot use ${this.place}: ${what}`, { cause: error });
  }
}

function valueOf(table: HistoryTable, { name }: HistoryColumn): string {
  const other = WHERE_ABSENT[`${table.name}.${name}`];
  return other === undefined ? `"${name}"` : `coalesce("${name}", ${other})`;
}

/** Returns the ORDER BY term of a column. Texts are ordered by their bytes, as in SQLite. */
function orderTerm({ name, type }: HistoryColumn): string {
  return type === "TEXT" ? `"${name}" COLLATE "C"` : `"${name}"`;
}
