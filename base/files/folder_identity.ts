// Identifies a folder, to detect that another folder has taken its path.
import { isMissing } from "./missing.ts";

/**
 * Returns a text that is different for every folder that ever existed at a path. It contains the birth time in
 * milliseconds, because a file system may reuse the inode number of a removed folder (ext4 does so at once). Without birth
 * times, the text contains only the inode number.
 */
export function folderIdentity({ dev, ino, birthtime }: Deno.FileInfo): string {
  return `${dev}:${ino}:${birthtime?.getTime()}`;
}

/** The identity of a missing folder. */
export const MISSING = "missing";

/**
 * Returns the identity of the folder at a path, MISSING if there is no folder, or undefined if the folder cannot be read.
 */
export function identityAt(folder: string): string | undefined {
  try {
    return folderIdentity(Deno.lstatSync(folder));
  } catch (error) {
    return isMissing(error) ? MISSING : undefined;
  }
}
