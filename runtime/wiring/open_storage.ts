// The database of a state directory, opened as a mode of the runtime needs it.
import { type Clock, SystemClock } from "../../base/clock.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { Directories } from "../config/directories.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { Database } from "../database/database.ts";
import type { Node, OpenNodeOptions } from "../storage/postgres/node.ts";
import { linkDescriptors } from "../../base/files/descriptor_link.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { findHistory, relocateHistory } from "../storage/state_dir/history_place.ts";
import { InstanceLock } from "../storage/state_dir/instance_lock.ts";
import { closeInstance, openInstance } from "../database/instances.ts";
import { makeStateDir, StateDirUnusable } from "../storage/state_dir/state_dir.ts";

/**
 * What a runtime may do. `service` owns the state directory: one process at a time, runs agents. `upkeep` owns it likewise,
 * runs and starts nothing, and removes what it is asked to. `read-only` looks at what is there, beside a service or without
 * one, and changes nothing.
 */
export type RuntimeMode = "service" | "upkeep" | "read-only";

// Only where a database is named: SQLite needs nothing of them.
const loadNode = lazyModule(() => import("../storage/postgres/node.ts"));
const loadPostgres = lazyModule(() => import("../storage/postgres/postgres_database.ts"));

/** The database of a runtime. */
export interface OpenedStorage {
  db: Database;
  instanceId: string;
  /** The time that everything stored is told by. */
  clock: Clock;
  /** This machine among those that share the database; absent: nobody shares it, or nothing is changed in it. */
  node?: Node;
}

/** How storage is opened; what only a database that machines share needs, too. */
export interface OpenStorageOptions
  extends Pick<OpenNodeOptions, "version" | "labelsOf" | "onOutage"> {
  mode: RuntimeMode;
  clock?: Clock | undefined;
  /** Gets everything that must be closed. */
  resources: AsyncDisposableStack;
}

/**
 * Opens the database; a mode that owns the state directory makes it, locks it and registers this process first. Throws
 * StateDirUnusable, AlreadyRunning and DatabaseUnusable.
 */
export async function openStorage(
  settings: Pick<WorkspaceSettings, "directories" | "database">,
  options: OpenStorageOptions,
): Promise<OpenedStorage> {
  const { directories, database } = settings;
  const { mode, resources } = options;
  if (mode === "read-only") return await openReadOnlyStorage(settings, options);
  const { stateDir, ownStateDir } = directories;
  for (const dir of new Set([stateDir, ownStateDir])) {
    await makeStateDir(dir);
    resources.use(InstanceLock.acquire(dir));
    if (mode === "service") linkDescriptors(dir);
  }
  if (database !== undefined) {
    const { Node } = await loadNode();
    const { address, connections, node: { name, labels } } = database;
    const node = resources.use(
      await Node.open({ ...options, address, connections, name, labels }),
    );
    return { db: node.database, instanceId: node.instanceId, clock: node.clock, node };
  }
  const clock = options.clock ?? new SystemClock();
  await relocateHistory(directories);
  const db = resources.use(SqliteDatabase.open(directories.databaseFile));
  const instance = { id: crypto.randomUUID(), pid: Deno.pid, startedAt: clock.now() };
  await db.change("power", () => openInstance(instance));
  resources.defer(() => db.change("power", () => closeInstance(instance.id, clock.now())));
  return { db, instanceId: instance.id, clock };
}

/** What is there, to be looked at. Throws StateDirUnusable and DatabaseUnusable. */
export async function openReadOnlyStorage(
  { directories, database }: Pick<WorkspaceSettings, "directories" | "database">,
  { clock = new SystemClock(), resources }: Pick<OpenStorageOptions, "clock" | "resources">,
): Promise<OpenedStorage> {
  const instanceId = crypto.randomUUID();
  if (database === undefined) {
    return { db: resources.use(openReadOnlyDatabase(directories)), instanceId, clock };
  }
  const { PostgresDatabase } = await loadPostgres();
  const { address, connections } = database;
  const db = resources.use(
    await PostgresDatabase.open({ address, connections, migrates: false }),
  );
  return { db, instanceId, clock };
}

function openReadOnlyDatabase(directories: Directories): SqliteDatabase {
  let path: string | undefined;
  try {
    path = findHistory(directories);
  } catch (error) {
    throw new StateDirUnusable(directories.stateDir, error);
  }
  // Nothing ran here yet: an empty history, and no file made to show it.
  if (path === undefined) return SqliteDatabase.open(":memory:");
  return SqliteDatabase.open(path, { readOnly: true });
}
