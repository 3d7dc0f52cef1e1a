// Where the history of a workspace is. The state directory of config.yaml's workspace changes hands when config.yaml names
// another one: each workspace's history follows it, so that no workspace ever runs, answers or continues what is another's.
import type { Directories } from "../config/directories.ts";
import { historyOwnerFile, stateFilesOf } from "../config/places.ts";
import { resolveOwnStateDir } from "../config/resolve_directories.ts";
import { writeFileAtomically } from "../files/atomic_file.ts";
import { takeLock } from "../lock_file.ts";
import { Database } from "./database.ts";
import { AlreadyRunning } from "./instance_lock.ts";
import { makeStateDir } from "./state_dir.ts";

type HistoryDirectories = Pick<
  Directories,
  "stateDir" | "baseStateDir" | "ownStateDir" | "realWorkspace"
>;

/**
 * The database with the history of a workspace, wherever it is now: it moves only when a service starts. Undefined: nothing
 * ran in this workspace yet.
 */
export function findHistory(directories: HistoryDirectories): string | undefined {
  const { baseStateDir, ownStateDir, stateDir, realWorkspace } = directories;
  const base = databaseOf(baseStateDir);
  const own = databaseOf(ownStateDir);
  const owner = readOwner(baseStateDir);
  if (stateDir !== baseStateDir) {
    return isThere(own) ? own : owner === realWorkspace && isThere(base) ? base : undefined;
  }
  // A base directory that does not say whose it is was always this workspace's.
  if (isThere(base) && (owner ?? realWorkspace) === realWorkspace) return base;
  return isThere(own) ? own : undefined;
}

/**
 * Brings the history of a workspace into its state directory, and another's out of it. The caller holds the locks of the
 * workspace. A death in between leaves each history whole, and the next start continues. Throws AlreadyRunning while a service
 * of the workspace concerned runs, and DatabaseUnusable for a history that cannot be moved.
 */
export async function settleHistory(directories: HistoryDirectories): Promise<void> {
  const { baseStateDir, ownStateDir, stateDir, realWorkspace } = directories;
  const owner = readOwner(baseStateDir);
  if (stateDir !== baseStateDir) {
    if (owner !== realWorkspace || !isThere(databaseOf(baseStateDir))) return;
    using _lock = lock(baseStateDir);
    moveHistory(baseStateDir, ownStateDir);
    return;
  }
  if (owner !== realWorkspace) {
    if (owner !== undefined && isThere(databaseOf(baseStateDir))) {
      const theirs = await resolveOwnStateDir(baseStateDir, owner);
      await makeStateDir(theirs);
      using _lock = lock(theirs);
      moveHistory(baseStateDir, theirs);
    }
    // Only while no other's history is here, so that the name is right at every moment.
    await writeFileAtomically(historyOwnerFile(baseStateDir), `${realWorkspace}\n`, {
      mode: 0o600,
    });
  }
  if (!isThere(databaseOf(baseStateDir)) && isThere(databaseOf(ownStateDir))) {
    moveHistory(ownStateDir, baseStateDir);
  }
}

function moveHistory(from: string, to: string): void {
  const source = databaseOf(from);
  const target = databaseOf(to);
  Database.foldLog(source);
  if (isThere(target)) {
    // Somebody has copied or restored files: nothing is replaced.
    Database.foldLog(target);
    let number = 1;
    while (isThere(`${target}.${number}`)) number++;
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

/** The real path of the workspace whose history a base directory has; undefined: it does not say. */
function readOwner(baseStateDir: string): string | undefined {
  try {
    return Deno.readTextFileSync(historyOwnerFile(baseStateDir)).replace(/\n$/, "");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
