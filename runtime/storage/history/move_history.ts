// Moves a history from SQLite to PostgreSQL or back: checks the preconditions, and copies everything or nothing.
import { dirname } from "../../../base/plain_path.ts";
import { ifThere } from "../../../base/files/missing.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { describeBadAddress } from "../../config/database_settings.ts";
import type { Directories } from "../../config/directories.ts";
import { DatabaseUnusable } from "../../database/database.ts";
import { PostgresDatabase } from "../postgres/postgres_database.ts";
import { MIGRATIONS } from "../sqlite/migrations.ts";
import { SqliteDatabase } from "../sqlite/sqlite_database.ts";
import { findHistory, relocateHistory } from "../state_dir/history_place.ts";
import { lockStateDirs } from "../state_dir/instance_lock.ts";
import { type CopiedHistory, copyHistory, type CopyOptions } from "./copy_history.ts";
import { type HistoryTable, readHistoryTables } from "./history_tables.ts";
import { PostgresHistory } from "./postgres_history.ts";
import { SqliteHistory } from "./sqlite_history.ts";

/** Error: the history cannot be moved in the current state. Nothing was changed. */
export class MoveRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "conflict";
}

/** The source and target of a move. */
export interface MoveOptions extends CopyOptions {
  directories: Directories;
  /** The direction: `to` copies from SQLite to PostgreSQL, `from` copies from PostgreSQL to SQLite. */
  direction: "to" | "from";
  /**
   * The address of the PostgreSQL database, `postgres://user@host:port/database`. The password may also be in PGPASSWORD or
   * PGPASSFILE.
   */
  address: string;
}

/** The result of a move. `from` and `to` are places without passwords. */
export interface MovedHistory extends CopiedHistory {
  from: string;
  to: string;
  /** The PostgreSQL address for config.yaml, without its password. */
  setting: string;
}

/**
 * Copies a complete history and compares the copy with the source. Never changes the source. After an error, the target is
 * as before. Throws AlreadyRunning while a service runs, MoveRefused, DatabaseUnusable and StorageUnavailable.
 */
export async function moveHistory(options: MoveOptions): Promise<MovedHistory> {
  const setting = withoutPassword(options.address);
  const moved = options.direction === "to" ? await moveIn(options) : await moveOut(options);
  return { ...moved, setting };
}

async function moveIn(options: MoveOptions): Promise<Omit<MovedHistory, "setting">> {
  const { directories, address, signal } = options;
  const path = findHistory(directories);
  if (path === undefined) {
    throw new MoveRefused(
      `There is no history in ${directories.stateDir}: nothing ran in this workspace yet`,
    );
  }
  using _locks = await lockStateDirs(directories, dirname(path));
  using db = SqliteDatabase.open(path, { readOnly: true });
  requireShape(db);
  // The transaction reads a single snapshot.
  db.run("BEGIN");
  await using target = await PostgresHistory.connect(address, { signal });
  await target.requireEncoding();
  // This check precedes the migration: the database may belong to services of an older version, which could not start after
  // it.
  refuseFilledTarget(await target.findFilled(), target);
  await bringUpToDate(address);
  const tables = await readTables(target);
  await target.beginWriting(tables);
  // The first check held no locks, so another process may have written rows since.
  refuseFilledTarget(await target.findFilled(), target);
  const copied = await copyHistory(tables, { source: new SqliteHistory(db), target }, options);
  await target.commit();
  return { ...copied, from: path, to: target.place };
}

async function moveOut(options: MoveOptions): Promise<Omit<MovedHistory, "setting">> {
  const { directories, address, signal } = options;
  const { databaseFile } = directories;
  using _locks = await lockStateDirs(directories);
  await relocateHistory(directories);
  refuseFilled(filledTables(databaseFile), {
    place: databaseFile,
    remedy:
      "Move it away first, with the files inkling.db-wal and inkling.db-shm beside it, if there are any",
  });
  await using source = await PostgresHistory.connect(address, { signal });
  await source.requireShape();
  const tables = await readTables(source);
  await source.beginReading(tables);
  // The locks of beginReading() block nodes that start later, so only running nodes must be refused.
  await refuseLivingNodes(source);
  // The copy is written to a new file beside the target. The new file is renamed when it is complete.
  const born = `${databaseFile}.new`;
  removeDatabase(born);
  try {
    const copied = await copyInto(born, { tables, source, options });
    SqliteDatabase.checkpointLog(born);
    // The old, empty database may have a write-ahead log, which SQLite would apply to the new file.
    if (exists(databaseFile)) SqliteDatabase.checkpointLog(databaseFile);
    // If the connection was lost, its locks are gone, and the source may have changed.
    await source.requireConnected();
    Deno.renameSync(born, databaseFile);
    // A user may delete the source after the move, so the rename must survive a power cut.
    using folder = Deno.openSync(dirname(databaseFile));
    folder.syncSync();
    return { ...copied, from: source.place, to: databaseFile };
  } catch (error) {
    removeDatabase(born);
    throw error;
  }
}

async function copyInto(
  path: string,
  { tables, source, options }: {
    tables: readonly HistoryTable[];
    source: PostgresHistory;
    options: MoveOptions;
  },
): Promise<CopiedHistory> {
  using db = SqliteDatabase.open(path);
  return await copyHistory(tables, { source, target: new SqliteHistory(db) }, options);
}

async function bringUpToDate(address: string): Promise<void> {
  await using _database = await PostgresDatabase.open({ address, connections: 1 });
}

async function readTables(postgres: PostgresHistory): Promise<HistoryTable[]> {
  using shape = SqliteDatabase.open(":memory:");
  return readHistoryTables(shape, await postgres.readColumns());
}

function requireShape(db: SqliteDatabase): void {
  const { user_version: version } = db.get<{ user_version: number }>("PRAGMA user_version") ??
    { user_version: 0 };
  if (version === MIGRATIONS.length) return;
  throw new DatabaseUnusable(
    `Cannot read ${db.place}: it was written by an older Inkling. ` +
      'Start the service once, which brings it up to date ("inkling start -d"), and stop it ("inkling stop")',
  );
}

function filledTables(path: string): string[] {
  if (!exists(path)) return [];
  using db = SqliteDatabase.open(path, { readOnly: true });
  return new SqliteHistory(db).findFilled();
}

function refuseFilled(
  filled: readonly string[],
  { place, remedy }: { place: string; remedy: string },
): void {
  const [first, ...others] = filled;
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more tables`;
  throw new MoveRefused(`${place} has a history already: rows in ${first}${more}. ${remedy}`);
}

function refuseFilledTarget(filled: readonly string[], { place }: PostgresHistory): void {
  refuseFilled(filled, {
    place,
    remedy: "Use an empty database (createdb creates one), or remove everything in this one: " +
      "DROP SCHEMA inkling CASCADE, in psql",
  });
}

async function refuseLivingNodes(postgres: PostgresHistory): Promise<void> {
  const nodes = await postgres.findLivingNodes();
  if (nodes.length === 0) return;
  throw new MoveRefused(
    `Services run on ${postgres.place}: ${
      nodes.join(", ")
    }. Stop each of them with "inkling stop" there, and run this again. ` +
      "A killed one counts for half a minute more",
  );
}

/**
 * Returns the address without its password. Throws MoveRefused for an invalid address. The message does not contain the
 * address.
 */
function withoutPassword(address: string): string {
  const rule = describeBadAddress(address);
  if (rule !== undefined) throw new MoveRefused(`The address ${rule}`);
  const url = new URL(address);
  url.password = "";
  return url.href;
}

function removeDatabase(path: string): void {
  for (const companion of ["", "-wal", "-shm", "-journal"]) {
    ifThere(() => Deno.removeSync(`${path}${companion}`));
  }
}

function exists(path: string): boolean {
  return ifThere(() => Deno.lstatSync(path)) !== undefined;
}
