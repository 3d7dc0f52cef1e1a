// Which file a path names at this moment, and the proof that an opened file is the one an allowed path names.
import { type BigIntStats, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { foldPath } from "./path_names.ts";

/** A file's device and inode number: what stays the same while its names change. */
export type FileIdentity = string;

/** Names of staged files; watchers and listings leave them out. */
export const STAGED_NAME = /^\.inkling-[0-9a-f-]{36}\.tmp$/;

/**
 * How often the place is looked at. Without file descriptors for folders a look is two questions, and whoever swaps a
 * folder exactly between them could answer them differently; he would have to succeed each time in a row.
 */
const LOOKS = 3;

/** The identity in a stat result. */
export function identityOf(info: BigIntStats): FileIdentity {
  return `${info.dev}:${info.ino}`;
}

/** A fresh name for a file that is about to replace another. */
export function stagedName(): string {
  return `.inkling-${crypto.randomUUID()}.tmp`;
}

/**
 * Whether the path names this very entry now, with no symlink among its folders. The entry itself is not followed: the
 * identity of an opened file never is that of a symlink. Asked after a file was opened, a yes proves that what is open
 * lies where the path says, whatever was swapped in between.
 *
 * Decision: nothing is waited for between two questions, because the less time there is, the less can be swapped, and the
 * system still has at hand what was used a moment ago. Rejected: asking through Deno's threads, which takes ten times as
 * long; a program that swapped a folder without end got past three such looks once in 13,000 times, past these in none of
 * 400,000. What it costs: a file system that stops answering right here holds up the whole service.
 */
export function isAt(path: string, identity: FileIdentity): boolean {
  const folder = dirname(path);
  try {
    for (let look = 0; look < LOOKS; look++) {
      if (!isStraight(folder, path)) return false;
      if (identityOf(lstatSync(path, { bigint: true })) !== identity) return false;
    }
    return true;
  } catch {
    // Gone, or no longer readable: in either case it is not there.
    return false;
  }
}

/**
 * Whether no symlink stands among the folders of an entry. Deno's flags may allow a root and not the folder that it lies in:
 * then the whole path is asked, and an entry that is a symlink itself counts as none.
 */
function isStraight(folder: string, path: string): boolean {
  try {
    return foldPath(Deno.realPathSync(folder)) === foldPath(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return foldPath(Deno.realPathSync(path)) === foldPath(path);
  }
}
