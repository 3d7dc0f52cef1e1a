// An entry that is not there: for who looks before a change, an answer and no error.
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { errorCode } from "../../../base/error_code.ts";

/** What a path names, a symlink not followed; undefined where nothing is there. */
export async function lstatIfThere(path: string): Promise<BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(ignoreMissing);
}

/** Turns "it is not there" into undefined; rethrows every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
}
