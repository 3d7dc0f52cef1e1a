// A history brought from SQLite into PostgreSQL, or back: what must hold before, and what is there afterwards, all or nothing.
import { dirname } from "node:path";
import { ifThere } from "../../../base/files/missing.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { describeBadAddress } from "../../config/database_settings.ts";
import type { Directories } from "../../config/directories.ts";
import { DatabaseUnusable } from "../database.ts";
import { PostgresDatabase } from "../postgres/postgres_database.ts";
import { MIGRATIONS } from "../sqlite/migrations.ts";
import { SqliteDatabase } from "../sqlite/sqlite_database.ts";
import { findHistory, settleHistory } from "../state_dir/history_place.ts";
import { InstanceLock } from "../state_dir/instance_lock.ts";
import { makeStateDir } from "../state_dir/state_dir.ts";
import { type CopiedHistory, copyHistory, type CopyOptions } from "./copy_history.ts";
import { type HistoryTable, readHistoryTables } from "./history_tables.ts";
import { PostgresHistory } from "./postgres_history.ts";
import { SqliteHistory } from "./sqlite_history.ts";

/** A history cannot be moved as things are. Nothing was changed. */
export class MoveRefused extends RuntimeError {
  readonly code: RuntimeErrorCode = "conflict";
}

/** Which history goes where. */
export interface MoveOptions extends CopyOptions {
  directories: Directories;
  /** Into PostgreSQL, or out of it. */
  direction: "to" | "from";
  /** postgres://user@host:port/database; the password may also come from PGPASSWORD or PGPASSFILE. */
  address: string;
}

/** What was moved. Both places are as they may be shown. */
export interface MovedHistory extends CopiedHistory {
  from: string;
  to: string;
  /** The address as it may stand in config.yaml: without its password. */
  setting: string;
}

/**
 * Copies the whole history, reads it back and compares. Whatever ends it before, the target is left as it was, and the source
 * always. Throws AlreadyRunning while a service runs, MoveRefused, DatabaseUnusable and StorageUnavailable.
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
  using _locks = await lock(directories, dirname(path));
  using db = SqliteDatabase.open(path, { readOnly: true });
  requireShape(db);
  // One moment of it, whatever happens to the file.
  db.run("BEGIN");
  await using target = await PostgresHistory.connect(address, { signal });
  await target.requireEncoding();
  // Before anything is changed there: older services may use it, which could not start any more.
  refuseFilledTarget(await target.findFilled(), target);
  await bringUpToDate(address);
  const tables = await readTables(target);
  await target.beginWriting(tables);
  // Somebody may have come in between.
  refuseFilledTarget(await target.findFilled(), target);
  const copied = await copyHistory(tables, { source: new SqliteHistory(db), target }, options);
  await target.commit();
  return { ...copied, from: path, to: target.place };
}

async function moveOut(options: MoveOptions): Promise<Omit<MovedHistory, "setting">> {
  const { directories, address, signal } = options;
  const { databaseFile } = directories;
  using _locks = await lock(directories);
  await settleHistory(directories);
  refuseFilled(filledTables(databaseFile), {
    place: databaseFile,
    remedy:
      "Move it away first, with the files inkling.db-wal and inkling.db-shm beside it, if there are any",
  });
  await using source = await PostgresHistory.connect(address, { signal });
  await source.requireShape();
  const tables = await readTables(source);
  await source.beginReading(tables);
  // One that begins from here on waits.
  await refuseLiving(source);
  // Born beside its place, and seen there only when it is whole.
  const born = `${databaseFile}.new`;
  removeDatabase(born);
  try {
    const copied = await copyInto(born, { tables, source, options });
    SqliteDatabase.foldLog(born);
    // An empty one, whose log must not be taken for that of the new one.
    if (isThere(databaseFile)) SqliteDatabase.foldLog(databaseFile);
    // What others write would be missing: until the new one is in its place, they wait.
    await source.requireHeld();
    Deno.renameSync(born, databaseFile);
    // The source may be deleted now, so the new name must survive a power cut.
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

/** Nobody starts a service in these directories until it is disposed. Throws AlreadyRunning. */
async function lock(
  { stateDir, ownStateDir }: Directories,
  ...others: readonly string[]
): Promise<Disposable> {
  using taken = new DisposableStack();
  for (const dir of new Set([stateDir, ownStateDir, ...others])) {
    await makeStateDir(dir);
    taken.use(InstanceLock.take(dir));
  }
  return taken.move();
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
  if (!isThere(path)) return [];
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
    remedy: "Name an empty database: createdb makes one. Or remove what is in this one, " +
      "all of it: DROP SCHEMA inkling CASCADE, in psql",
  });
}

async function refuseLiving(postgres: PostgresHistory): Promise<void> {
  const nodes = await postgres.findLivingNodes();
  if (nodes.length === 0) return;
  throw new MoveRefused(
    `Services run on ${postgres.place}: ${
      nodes.join(", ")
    }. Stop each of them with "inkling stop" there, and run this again. ` +
      "One that was killed counts for half a minute more",
  );
}

/** Throws MoveRefused for what config.yaml would not take either; it may hold a password and is not repeated. */
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

function isThere(path: string): boolean {
  return ifThere(() => Deno.lstatSync(path)) !== undefined;
}
