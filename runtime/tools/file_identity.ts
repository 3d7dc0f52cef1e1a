// Which file a path names at this moment, and the proof that an opened file is the one an allowed path names.
import { type BigIntStats, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isReal, isUnmoved } from "./settled_folder.ts";

/** A file's device and inode number: what stays the same while its names change. */
export type FileIdentity = string;

/** Names of staged files; watchers and listings leave them out. */
export const STAGED_NAME = /^\.inkling-[0-9a-f-]{36}\.tmp$/;

/** The identity in a stat result. */
export function identityOf(info: BigIntStats): FileIdentity {
  return `${info.dev}:${info.ino}`;
}

/** A fresh name for a file that is about to replace another. */
export function stagedName(): string {
  return `.inkling-${crypto.randomUUID()}.tmp`;
}

/**
 * Whether the path names this very entry, and none of its folders moved since shortly before `since` (see isUnmoved). The entry
 * itself is not followed: the identity of an opened file never is that of a symlink. Asked after a file was opened, a yes proves
 * that what is open lies where the path says, whatever was swapped in between.
 */
export function isAt(path: string, identity: FileIdentity, since: number): boolean {
  try {
    return identityOf(lstatSync(path, { bigint: true })) === identity &&
      isUnmoved(dirname(path), since);
  } catch (error) {
    // Deno's flags may allow a file and not its folder: then all that can be asked is the real path.
    if (error instanceof Deno.errors.NotCapable) return isReal(path);
    // Gone, or no longer readable: in either case it is not there.
    return false;
  }
}
