// Finds and moves the history (database) of a workspace. The base state directory contains the history of the workspace in
// config.yaml. When config.yaml names another workspace, the histories are moved, so that no workspace ever uses another's
// executions.
import type { Directories } from "../../config/directories.ts";
import { historyOwnerFile, stateFilesOf } from "../../config/places.ts";
import { resolveOwnStateDir } from "../../config/resolve_directories.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { folderIdentity } from "../../../base/files/folder_identity.ts";
import { takeLock } from "../../../base/files/lock_file.ts";
import { SqliteDatabase } from "../sqlite/sqlite_database.ts";
import { AlreadyRunning } from "./instance_lock.ts";
import { makeStateDir } from "./state_dir.ts";

type HistoryDirectories = Pick<
  Directories,
  "stateDir" | "baseStateDir" | "ownStateDir" | "realWorkspace"
>;

/**
 * Returns the present path of a workspace's database, or undefined if the workspace has none. The path may differ from the
 * final path, because a history is moved only when a service starts.
 */
export function findHistory(directories: HistoryDirectories): string | undefined {
  const { baseStateDir, ownStateDir, stateDir } = directories;
  const base = databaseOf(baseStateDir);
  const own = databaseOf(ownStateDir);
  if (exists(base) && ownsBase(directories, { ifUnknown: stateDir === baseStateDir })) return base;
  return exists(own) ? own : undefined;
}

/**
 * Moves the history of a workspace into its state directory, and the history of another workspace out of it. The caller
 * must hold the locks of the workspace. After a crash both histories are complete, and the next start continues. Throws
 * AlreadyRunning while a service of an affected workspace runs, and DatabaseUnusable for a history that cannot be moved.
 */
export async function relocateHistory(directories: HistoryDirectories): Promise<void> {
  const { baseStateDir, ownStateDir, stateDir } = directories;
  if (stateDir === baseStateDir) {
    await relocateBase(directories);
  } else if (
    exists(databaseOf(baseStateDir)) && ownsBase(directories, { ifUnknown: false })
  ) {
    using _lock = lock(baseStateDir);
    moveHistory(baseStateDir, ownStateDir);
  }
}

async function relocateBase(directories: HistoryDirectories): Promise<void> {
  const { baseStateDir, ownStateDir, realWorkspace } = directories;
  const owner = readOwner(baseStateDir);
  if (
    owner !== undefined && exists(databaseOf(baseStateDir)) &&
    !ownsBase(directories, { ifUnknown: true })
  ) {
    const theirs = await resolveOwnStateDir(baseStateDir, owner.path);
    await makeStateDir(theirs);
    using _lock = lock(theirs);
    moveHistory(baseStateDir, theirs);
  }
  const now: Owner = { path: realWorkspace, identity: identityOf(realWorkspace) };
  const isNews = owner?.path !== now.path ||
    // A missing folder may have been moved, and config.yaml may name its new path later.
    (owner.identity !== now.identity && now.identity !== UNKNOWN);
  if (isNews) {
    // The owner file is written only while no other workspace's history is in this directory, so it is always correct.
    await writeFileAtomically(
      historyOwnerFile(baseStateDir),
      `${now.identity}\n${now.path}\n`,
      { mode: 0o600 },
    );
  }
  if (!exists(databaseOf(baseStateDir)) && exists(databaseOf(ownStateDir))) {
    moveHistory(ownStateDir, baseStateDir);
  }
}

/**
 * Returns true if the history in the base directory belongs to the workspace: by its path, or by the identity of a moved
 * folder. Returns `ifUnknown` without an owner file.
 */
function ownsBase(
  { baseStateDir, realWorkspace }: HistoryDirectories,
  { ifUnknown }: { ifUnknown: boolean },
): boolean {
  const owner = readOwner(baseStateDir);
  if (owner === undefined) return ifUnknown;
  if (owner.path === realWorkspace) return true;
  return owner.identity !== UNKNOWN && owner.identity === identityOf(realWorkspace);
}

function moveHistory(from: string, to: string): void {
  const source = databaseOf(from);
  const target = databaseOf(to);
  SqliteDatabase.checkpointLog(source);
  if (exists(target)) {
    // A database exists at the target only if a person copied or restored files there. So the database is kept under a
    // numbered name, not overwritten.
    SqliteDatabase.checkpointLog(target);
    let number = 1;
    while (exists(`${target}.${number}`)) number++;
    Deno.renameSync(target, `${target}.${number}`);
  }
  Deno.renameSync(source, target);
}

function lock(stateDir: string): Disposable {
  const taken = takeLock(stateFilesOf(stateDir).lockFile);
  if (taken === undefined) throw new AlreadyRunning(stateDir);
  return taken;
}

function databaseOf(stateDir: string): string {
  return stateFilesOf(stateDir).databaseFile;
}

/** The workspace that owns a history: its real path, and the identity of its folder. */
interface Owner {
  path: string;
  identity: string;
}

/** Returns the owner of the history in a base state directory; undefined without an owner file. */
function readOwner(baseStateDir: string): Owner | undefined {
  try {
    const [identity = "", ...path] = Deno.readTextFileSync(historyOwnerFile(baseStateDir))
      .replace(/\n$/, "").split("\n");
    return { identity, path: path.join("\n") };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const UNKNOWN = "unknown";

/**
 * Returns an identity of a folder that stays the same when the folder is moved. Returns UNKNOWN if the folder is missing or
 * the system provides none.
 */
function identityOf(folder: string): string {
  try {
    const info = Deno.statSync(folder);
    // The inode alone is not enough, because a new folder may get the inode of a removed one.
    return info.ino === null || info.birthtime === null ? UNKNOWN : folderIdentity(info);
  } catch {
    // Without access to the folder, only its path identifies the workspace.
    return UNKNOWN;
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
