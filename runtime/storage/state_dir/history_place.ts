// Where the history of a workspace is. The state directory of config.yaml's workspace changes hands when config.yaml names
// another one: each workspace's history follows it, so that no workspace ever runs, answers or continues what is another's.
import type { Directories } from "../../config/directories.ts";
import { historyOwnerFile, stateFilesOf } from "../../config/places.ts";
import { resolveOwnStateDir } from "../../config/resolve_directories.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { folderIdentity } from "../../../base/files/folder_identity.ts";
import { takeLock } from "../../../base/lock_file.ts";
import { SqliteDatabase } from "../sqlite/sqlite_database.ts";
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
  const { baseStateDir, ownStateDir, stateDir } = directories;
  const base = databaseOf(baseStateDir);
  const own = databaseOf(ownStateDir);
  if (isThere(base) && ownsBase(directories, { ifUnknown: stateDir === baseStateDir })) return base;
  return isThere(own) ? own : undefined;
}

/**
 * Brings the history of a workspace into its state directory, and another's out of it. The caller holds the locks of the
 * workspace. A death in between leaves each history whole, and the next start continues. Throws AlreadyRunning while a service
 * of the workspace concerned runs, and DatabaseUnusable for a history that cannot be moved.
 */
export async function settleHistory(directories: HistoryDirectories): Promise<void> {
  const { baseStateDir, ownStateDir, stateDir } = directories;
  if (stateDir === baseStateDir) {
    await settleBase(directories);
  } else if (
    isThere(databaseOf(baseStateDir)) && ownsBase(directories, { ifUnknown: false })
  ) {
    using _lock = lock(baseStateDir);
    moveHistory(baseStateDir, ownStateDir);
  }
}

async function settleBase(directories: HistoryDirectories): Promise<void> {
  const { baseStateDir, ownStateDir, realWorkspace } = directories;
  const owner = readOwner(baseStateDir);
  if (
    owner !== undefined && isThere(databaseOf(baseStateDir)) &&
    !ownsBase(directories, { ifUnknown: true })
  ) {
    const theirs = await resolveOwnStateDir(baseStateDir, owner.path);
    await makeStateDir(theirs);
    using _lock = lock(theirs);
    moveHistory(baseStateDir, theirs);
  }
  const now: Owner = { path: realWorkspace, identity: identityOf(realWorkspace) };
  const isNews = owner?.path !== now.path ||
    // A folder that is missing now may be somewhere else, and config.yaml say so later.
    (owner.identity !== now.identity && now.identity !== UNKNOWN);
  if (isNews) {
    // Only while no other's history is here, so that the name is right at every moment.
    await writeFileAtomically(
      historyOwnerFile(baseStateDir),
      `${now.identity}\n${now.path}\n`,
      { mode: 0o600 },
    );
  }
  if (!isThere(databaseOf(baseStateDir)) && isThere(databaseOf(ownStateDir))) {
    moveHistory(ownStateDir, baseStateDir);
  }
}

/**
 * Whether the history in the base directory is the workspace's: by its path, or because the folder is the same one under
 * another path, moved by its user. `ifUnknown`: where the directory does not say whose it is.
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
  SqliteDatabase.foldLog(source);
  if (isThere(target)) {
    // Somebody has copied or restored files: nothing is replaced.
    SqliteDatabase.foldLog(target);
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

/** A workspace by its real path, and by the folder that is there. */
interface Owner {
  path: string;
  identity: string;
}

/** The workspace whose history a base directory has; undefined: it does not say. */
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

/** What tells a folder from every other one, also after it was moved; UNKNOWN without a folder, or where the system cannot tell. */
function identityOf(folder: string): string {
  try {
    const info = Deno.statSync(folder);
    // Without its birth, a number that was given to a new folder would count as the old one.
    return info.ino === null || info.birthtime === null ? UNKNOWN : folderIdentity(info);
  } catch {
    // Missing, or closed to this process: then its path alone tells it.
    return UNKNOWN;
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
