// Finds the folder or file that exists at a watched path.
import { basename, dirname, join } from "../../base/plain_path.ts";
import { folderIdentity } from "../../base/files/folder_identity.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The folder to watch for a path, and the name of the watched file. */
export interface WatchedRoot {
  /** The path without links of the folder to watch: the path itself, or the parent folder of a file. */
  folder: string;
  /** The name of the file; undefined if the path is a folder. */
  only: string | undefined;
  /** A text that changes when another folder or file replaces the present one. */
  identity: string;
}

/**
 * Returns the folder to watch for a path, or undefined if nothing exists there. `former` is the previous result. Throws the
 * system's error if the path cannot be checked.
 */
export async function findWatchedRoot(
  path: string,
  former: WatchedRoot | undefined,
): Promise<WatchedRoot | undefined> {
  const real = await Deno.realPath(path).catch(ignoreMissing);
  if (real === undefined) {
    // A removed file continues to be watched as long as its folder exists.
    const { folder, only } = former ?? {};
    return folder === undefined || only === undefined ? undefined : rootOfFile(folder, only);
  }
  const info = await Deno.lstat(real).catch(ignoreMissing);
  if (info?.isDirectory) return { folder: real, only: undefined, identity: folderIdentity(info) };
  return info?.isFile ? rootOfFile(dirname(real), basename(real)) : undefined;
}

async function rootOfFile(folder: string, only: string): Promise<WatchedRoot | undefined> {
  const info = await Deno.lstat(folder).catch(ignoreMissing);
  if (info === undefined || !info.isDirectory) return undefined;
  return { folder, only, identity: `${folderIdentity(info)} ${join(folder, only)}` };
}
