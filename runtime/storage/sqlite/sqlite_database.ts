// A SQLite database: opens and checks the file, migrates it, and runs statements and transactions.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";
import { ifThere } from "../../../base/files/missing.ts";
import { makePrivate } from "../../../base/files/private_file.ts";
import { requireFile } from "../../../base/files/whole_file.ts";
import {
  type Database,
  DatabaseUnusable,
  type Durability,
  StorageUnavailable,
} from "../../database/database.ts";
import type { Operation, StoredListener } from "../../database/operation.ts";
import { MIGRATIONS, WITHOUT_COLUMNS } from "./migrations.ts";
import { PreparedStatements } from "./prepared_statements.ts";

/** The path that opens a database in memory. */
const IN_MEMORY = ":memory:";

/** The application id in the file header, "INKL" in ASCII. It identifies databases of Inkling. */
const APPLICATION_ID = 0x494e4b4c;
const BUSY_TIMEOUT_MS = 5_000;
/** The maximum size of a file that is checked completely at each start. In a larger file, a read reports damage. */
const CHECKED_AT_OPEN_BYTES = 32 * 1024 * 1024;

/** Options for opening a database. */
export interface OpenDatabaseOptions {
  /** True to open an existing file without ever writing to it. */
  readOnly?: boolean;
}

/** A SQLite database. Operations run synchronously, so that transactions never interleave. */
export class SqliteDatabase implements Database, Disposable {
  readonly kind = "sqlite";
  readonly place: string;
  readonly isReadOnly: boolean;
  readonly stored = new Set<StoredListener>();
  readonly #db: DatabaseSync;
  readonly #statements: PreparedStatements;
  #synchronous = "NORMAL";

  private constructor(db: DatabaseSync, path: string, { readOnly = false }: OpenDatabaseOptions) {
    this.#db = db;
    this.isReadOnly = readOnly;
    this.#statements = new PreparedStatements(db);
    this.place = path;
  }

  /**
   * Opens, creates and migrates the database at `path` (`:memory:` for a database in memory). Throws DatabaseUnusable for a
   * file that is damaged, of another program, or of a newer version, and does not change such a file.
   */
  static open(path: string, options: OpenDatabaseOptions = {}): SqliteDatabase {
    const readOnly = options.readOnly ?? false;
    let db: DatabaseSync | undefined;
    try {
      if (path !== IN_MEMORY) requireFile(path);
      // SQLite creates the companion files (-wal, -shm) with the mode of the main file.
      if (!readOnly && path !== IN_MEMORY) {
        Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
      }
      db = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
      const version = checkFile(db, path);
      if (!readOnly) {
        // The statements below change the file's mode and content, so checkFile() must have accepted the file.
        if (path !== IN_MEMORY) {
          for (const companion of ["", "-wal", "-shm"]) makePrivate(`${path}${companion}`);
        }
        // SQLite applies this setting only to an empty file. To another one, it would write the same value again.
        if (version === 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
        db.exec("PRAGMA journal_mode = WAL");
        db.exec("PRAGMA synchronous = NORMAL");
        migrate(db, version);
      } else {
        const view = WITHOUT_COLUMNS.find(([step]) => version <= MIGRATIONS.indexOf(step))?.[1];
        if (view !== undefined) db.exec(`CREATE TEMP VIEW executions AS ${view}`);
      }
      db.exec("PRAGMA foreign_keys = ON");
      return new SqliteDatabase(db, path, options);
    } catch (error) {
      db?.close();
      throw unusable(error, path);
    }
  }

  /**
   * Copies the write-ahead log into the file. The file is then the complete database and can be moved. Throws
   * DatabaseUnusable as open() does, and while another process has the file open.
   */
  static checkpointLog(path: string): void {
    using database = SqliteDatabase.open(path);
    const db = database.#db;
    try {
      db.exec("PRAGMA journal_mode = DELETE");
    } catch (error) {
      throw inUse(path, error);
    }
    if (pragma(db, "journal_mode") !== "delete") throw inUse(path);
  }

  /** Runs one statement without result rows. Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statements.take(sql).run(...values).changes);
  }

  /** Returns the first row, or undefined without rows. `Row` must match the columns of the statement. */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statements.take(sql).get(...values) as Row | undefined;
  }

  /** Returns all rows. `Row` must match the columns of the statement. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statements.take(sql).all(...values) as Row[];
  }

  /** Yields the rows as lists of values. A whole number is a bigint. The statement must not change the database. */
  *each(sql: string): Generator<SQLOutputValue[]> {
    const statement = this.#db.prepare(sql);
    statement.setReadBigInts(true);
    for (const row of statement.iterate()) yield Object.values(row);
  }

  /** Returns the result of `body`, run in one transaction. Rolls back if it throws. Throws StorageUnavailable. */
  transaction<T>(durability: Durability, body: () => T): T {
    const synchronous = durability === "power" ? "FULL" : "NORMAL";
    if (synchronous !== this.#synchronous) {
      // The setting applies to all following transactions.
      this.#db.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
    }
    try {
      // IMMEDIATE waits for the write lock. A write after a read would fail if another process has the lock.
      this.#statements.take("BEGIN IMMEDIATE").run();
      const result = body();
      this.#statements.take("COMMIT").run();
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw toUnavailable(error) ?? error;
    }
  }

  /** Runs an operation in one transaction. It is complete when this method returns, before the promise is awaited. */
  change<T>(durability: Durability, operation: () => Operation<T>): Promise<T> {
    const after: (() => void)[] = [];
    return new Promise((resolve) => {
      resolve(this.transaction(durability, () => this.perform(operation(), after)));
      for (const act of after) act();
    });
  }

  read<T>(operation: () => Operation<T>): Promise<T> {
    return new Promise((resolve) => resolve(this.perform(operation())));
  }

  executionsVersion(): number {
    return this.#statements.executionsVersion();
  }

  readBytes(): Promise<number> {
    // The file does not exist for a database in memory or without a write-ahead log.
    const sizeOf = (path: string) => ifThere(() => Deno.statSync(path).size) ?? 0;
    return Promise.resolve(sizeOf(this.place) + sizeOf(`${this.place}-wal`));
  }

  /** Returns unused space of the file to the file system. */
  shrink(): Promise<void> {
    this.#db.exec("PRAGMA incremental_vacuum");
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return Promise.resolve();
  }

  /** Returns the result of an operation. Adds its callbacks for after the commit to `after`. */
  perform<T>(operation: Operation<T>, after: (() => void)[] = []): T {
    for (let given: unknown;;) {
      const step = operation.next(given);
      if (step.done) return step.value;
      const { value: statement } = step;
      given = undefined;
      if ("sql" in statement) {
        const sql = typeof statement.sql === "string" ? statement.sql : statement.sql.sqlite;
        if (statement.type !== "send") given = this[statement.type](sql, ...statement.values);
        else if (statement.receive === undefined) this.run(sql, ...statement.values);
        else statement.receive(this.all(sql, ...statement.values));
      } else if (statement.type === "after_commit") {
        after.push(statement.act);
      } else if (statement.type === "announce") {
        const { executionId, stored } = statement;
        if (stored === undefined) continue;
        after.push(() => this.stored.forEach((listen) => listen(executionId, stored)));
      }
    }
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }
}

function pragma(db: DatabaseSync, name: string): unknown {
  const row = db.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

/** Checks that the file is intact and belongs to Inkling. Returns its version. Does not change the file. */
function checkFile(db: DatabaseSync, path: string): number {
  const application = Number(pragma(db, "application_id"));
  const version = Number(pragma(db, "user_version"));
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (tables.n > 0 && application !== APPLICATION_ID) {
    throw new DatabaseUnusable(
      `Cannot open ${path}: it is a database of another program`,
      { remedy: "Move it away, so that Inkling can create its own." },
    );
  }
  if (version > MIGRATIONS.length) {
    throw new DatabaseUnusable(
      `Cannot open ${path}: it was written by a newer Inkling (format ${version}, this one knows ${MIGRATIONS.length})`,
      { remedy: "Update Inkling, or use another state directory." },
    );
  }
  const bytes = Number(pragma(db, "page_count")) * Number(pragma(db, "page_size"));
  if (bytes <= CHECKED_AT_OPEN_BYTES) {
    const check = pragma(db, "quick_check(1)");
    if (check !== "ok") throw damaged(path, check);
  }
  return version;
}

/** Runs all missing migrations in one transaction, so that the database never has a state between two versions. */
function migrate(db: DatabaseSync, from: number): void {
  if (from === MIGRATIONS.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated the database before this transaction started.
    const version = Number(pragma(db, "user_version"));
    for (const step of MIGRATIONS.slice(version)) {
      if (typeof step === "string") db.exec(step);
      else step(db);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    // If a newer process has migrated the database, its higher version is kept.
    db.exec(`PRAGMA user_version = ${Math.max(version, MIGRATIONS.length)}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function damaged(path: string, cause: unknown): DatabaseUnusable {
  return new DatabaseUnusable(`Cannot open ${path}: the database is damaged`, {
    cause,
    remedy: "Inkling did not change it. " +
      "Restore it from a backup, or move it away to start with an empty database.",
  });
}

function inUse(path: string, cause?: unknown): DatabaseUnusable {
  return new DatabaseUnusable(`Cannot move ${path}: another program has it open`, {
    cause,
    remedy: "Stop that program and try again.",
  });
}

/** Reasons by messages of SQLITE_FULL, BUSY, READONLY, IOERR and CANTOPEN: errors of `exec` have no code. */
const UNAVAILABLE: readonly (readonly [RegExp, string])[] = [
  [/disk is full/, "the disk that holds the state directory is full. Make room and try again."],
  [
    /database is locked/,
    "another program holds the database in the state directory. Stop that program and try again.",
  ],
  [
    /readonly database/,
    "the database in the state directory is read-only. Make it and its folder writable and try again.",
  ],
  [
    /disk I\/O error|unable to open database file/,
    "the disk that holds the state directory refuses to write. Check its space and its health, and try again.",
  ],
];

function toUnavailable(error: unknown): StorageUnavailable | undefined {
  if (!(error instanceof Error)) return undefined;
  const reason = UNAVAILABLE.find(([words]) => words.test(error.message))?.[1];
  if (reason === undefined) return undefined;
  return new StorageUnavailable(`Cannot store anything: ${reason}`, { cause: error });
}

/** Returns a DatabaseUnusable for an error of SQLite with the database at this path. */
export function unusable(error: unknown, path: string): DatabaseUnusable {
  if (error instanceof DatabaseUnusable) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (/malformed|not a database|corrupt/i.test(text)) return damaged(path, error);
  return new DatabaseUnusable(`Cannot open ${path}: ${text}.`, { cause: error });
}
