// Resolves a watched path to a folder, a file, or nothing.
import { basename, dirname, join } from "node:path";
import { folderIdentity } from "../../base/files/folder_identity.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The folder to watch for a path. */
export interface WatchedRoot {
  /** The folder to watch, with its real path: the path itself, or the parent of a watched file. */
  folder: string;
  /** The file's name; undefined when the path is a folder. */
  only: string | undefined;
  /** Changes when another folder or file takes the place. */
  identity: string;
}

/**
 * Returns the present root of a path, or undefined when nothing exists. `former`: the previous root. Throws the
 * system's error when the path cannot be checked.
 */
export async function findWatchedRoot(
  path: string,
  former: WatchedRoot | undefined,
): Promise<WatchedRoot | undefined> {
  const real = await Deno.realPath(path).catch(ignoreMissing);
  if (real === undefined) {
    // A removed file is still watched as long as its folder exists.
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
