// What distinguishes two folders at one path.
import { isMissing } from "./missing.ts";

/**
 * Another one for every folder that is or was at a path. Its birth, in milliseconds, belongs to it: a file system may give
 * the number of a folder that was removed to the next one that is made (ext4 does so at once). Where the file system does
 * not keep births, the number alone decides.
 */
export function folderIdentity({ dev, ino, birthtime }: Deno.FileInfo): string {
  return `${dev}:${ino}:${birthtime?.getTime()}`;
}

/** Stands for the identity of a folder that is not there. */
export const MISSING = "missing";

/** What distinguishes two folders at one path; undefined where that is unknown. */
export function identityAt(folder: string): string | undefined {
  try {
    return folderIdentity(Deno.lstatSync(folder));
  } catch (error) {
    return isMissing(error) ? MISSING : undefined;
  }
}
