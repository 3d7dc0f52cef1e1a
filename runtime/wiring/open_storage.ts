// The database of a state directory, opened as a mode of the runtime needs it.
import type { Clock } from "../../base/clock.ts";
import type { Directories } from "../config/directories.ts";
import { linkDescriptors } from "../../base/files/descriptor_link.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { findHistory, settleHistory } from "../storage/state_dir/history_place.ts";
import { InstanceLock } from "../storage/state_dir/instance_lock.ts";
import { closeInstance, openInstance } from "../storage/instances.ts";
import { makeStateDir, StateDirUnusable } from "../storage/state_dir/state_dir.ts";

/**
 * What a runtime may do. `service` owns the state directory: one process at a time, runs agents. `upkeep` owns it likewise,
 * runs and starts nothing, and removes what it is asked to. `read-only` looks at what is there, beside a service or without
 * one, and changes nothing.
 */
export type RuntimeMode = "service" | "upkeep" | "read-only";

/**
 * Opens the database; a mode that owns the state directory makes it, locks it and registers this process first. Throws
 * StateDirUnusable, AlreadyRunning and DatabaseUnusable.
 */
export async function openStorage(
  directories: Directories,
  { mode, clock, resources }: { mode: RuntimeMode; clock: Clock; resources: AsyncDisposableStack },
): Promise<{ db: SqliteDatabase; instanceId: string }> {
  const instanceId = crypto.randomUUID();
  if (mode === "read-only") {
    return { db: resources.use(openReadOnlyDatabase(directories)), instanceId };
  }
  const { stateDir, ownStateDir } = directories;
  for (const dir of new Set([stateDir, ownStateDir])) {
    await makeStateDir(dir);
    resources.use(InstanceLock.take(dir));
    if (mode === "service") linkDescriptors(dir);
  }
  await settleHistory(directories);
  const db = resources.use(SqliteDatabase.open(directories.databaseFile));
  const instance = { id: instanceId, pid: Deno.pid, startedAt: clock.now() };
  await db.change("power", () => openInstance(instance));
  resources.defer(() => db.change("power", () => closeInstance(instanceId, clock.now())));
  return { db, instanceId };
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
