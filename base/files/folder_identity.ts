// Identifies a folder, to detect that another folder has taken its path.
import { isMissing } from "./missing.ts";

/**
 * Returns a text that differs between a folder and a later folder at the same path. The text contains the birth time in
 * milliseconds, because a file system may reuse the inode number of a removed folder (ext4 does so at once). On a file
 * system without birth times, only the inode number distinguishes the folders.
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
