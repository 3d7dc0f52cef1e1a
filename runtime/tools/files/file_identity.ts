// Which file it is, and how files are named that are about to replace others.
import type { BigIntStats } from "node:fs";

/** A file's device and inode number: what stays the same while its names change. */
export type FileIdentity = string;

/** Names of staged files; watchers and listings leave them out. */
export const STAGED_NAME = /^\.inkling-[0-9a-f-]{36,53}\.tmp$/;

/** The identity in a stat result. */
export function identityOf(info: BigIntStats): FileIdentity {
  return `${info.dev}:${info.ino}`;
}

/** A fresh name for a file that is about to replace another. */
export function stagedName(): string {
  return `.inkling-${crypto.randomUUID()}.tmp`;
}
