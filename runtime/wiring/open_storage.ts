// Opens the database of a workspace for a mode of the runtime.
import { type Clock, SystemClock } from "../../base/clock.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { Directories } from "../config/directories.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { Database } from "../database/database.ts";
import type { Node, OpenNodeOptions } from "../storage/postgres/node.ts";
import { linkDescriptors } from "../../base/files/descriptor_link.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { findHistory, relocateHistory } from "../storage/state_dir/history_place.ts";
import { lockStateDirs } from "../storage/state_dir/instance_lock.ts";
import { closeInstance, openInstance } from "../database/instances.ts";
import { StateDirUnusable } from "../storage/state_dir/state_dir.ts";

/**
 * The mode of a runtime. `service` owns the state directory and runs agents; only one process at a time may do so. `upkeep`
 * owns the state directory but runs nothing, and removes data on request. `read-only` changes nothing, and may run beside a
 * service.
 */
export type RuntimeMode = "service" | "upkeep" | "read-only";

// Loaded only if a PostgreSQL database is configured.
const loadNode = lazyModule(() => import("../storage/postgres/node.ts"));
const loadPostgres = lazyModule(() => import("../storage/postgres/postgres_database.ts"));

/** The opened database of a runtime. */
export interface OpenedStorage {
  db: Database;
  instanceId: string;
  /** The clock of all stored times. */
  clock: Clock;
  /** This process as a node. Absent if the database is not shared or only read. */
  node?: Node;
}

/** Options of openStorage(), including those of a shared database. */
export interface OpenStorageOptions
  extends Pick<OpenNodeOptions, "version" | "labelsOf" | "onOutage"> {
  mode: RuntimeMode;
  /** True if the caller holds the locks of the state directories (see lockStateDirs). Default: false. */
  isLocked?: boolean | undefined;
  clock?: Clock | undefined;
  /** Receives the resources that must be closed. */
  resources: AsyncDisposableStack;
}

/**
 * Opens the database for a mode. For a mode that owns the state directory, first creates and locks the directory, and then
 * registers this process. Throws StateDirUnusable, AlreadyRunning and DatabaseUnusable.
 */
export async function openStorage(
  settings: Pick<WorkspaceSettings, "directories" | "database">,
  options: OpenStorageOptions,
): Promise<OpenedStorage> {
  const { directories, database } = settings;
  const { mode, resources } = options;
  if (mode === "read-only") return await openReadOnlyStorage(settings, options);
  if (!options.isLocked) resources.use(await lockStateDirs(directories));
  if (mode === "service") {
    for (const dir of new Set([directories.stateDir, directories.ownStateDir])) {
      linkDescriptors(dir);
    }
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

/** Opens the existing database for reading. Throws StateDirUnusable and DatabaseUnusable. */
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
  // Without a database file, nothing has run yet: the history is empty, and no file is created.
  if (path === undefined) return SqliteDatabase.open(":memory:");
  return SqliteDatabase.open(path, { readOnly: true });
}
