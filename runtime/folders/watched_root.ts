// What is at a watched path: a folder, a file, or nothing that can be watched.
import { basename, dirname, join } from "node:path";
import { folderIdentity } from "../../base/files/folder_identity.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** What there is to watch. */
export interface WatchedRoot {
  /** The folder that is watched: the path itself, or the one that a watched file lies in. Real. */
  folder: string;
  /** The file's name; undefined where the path is a folder. */
  only: string | undefined;
  /** Another one where something else has taken the place. */
  identity: string;
}

/**
 * What is at a path now; undefined: nothing. `former` is what was there before. Throws the system's error where that cannot
 * be told.
 */
export async function findWatchedRoot(
  path: string,
  former: WatchedRoot | undefined,
): Promise<WatchedRoot | undefined> {
  const real = await Deno.realPath(path).catch(ignoreMissing);
  if (real === undefined) {
    // A watched file that is gone is still watched, as long as its folder is there.
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
