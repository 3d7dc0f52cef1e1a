// The identity of a folder, to detect that another folder took its path.
import { isMissing } from "./missing.ts";

/**
 * Returns a text that differs for every folder that is or was at a path. It includes the birth time in milliseconds,
 * because a file system may reuse the number of a removed folder (ext4 does so at once). Without birth times the number
 * alone decides.
 */
export function folderIdentity({ dev, ino, birthtime }: Deno.FileInfo): string {
  return `${dev}:${ino}:${birthtime?.getTime()}`;
}

/** The identity of a missing folder. */
export const MISSING = "missing";

/** Returns the identity of the folder at a path; undefined when unknown. */
export function identityAt(folder: string): string | undefined {
  try {
    return folderIdentity(Deno.lstatSync(folder));
  } catch (error) {
    return isMissing(error) ? MISSING : undefined;
  }
}
