// Which file it is, whatever it is called.
import type { BigIntStats } from "node:fs";

/** A file's device and inode number: what stays the same while its names change. */
export type FileIdentity = string;

/** The identity in a stat result. */
export function identityOf(info: BigIntStats): FileIdentity {
  return `${info.dev}:${info.ino}`;
}
