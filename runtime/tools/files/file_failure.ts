// Converts failures of file operations to sentences that a model can act on. The sentences contain the path that the model
// wrote, never the host's path.
import { describeDenied } from "../../../base/denied_permission.ts";
import { errorCode } from "../../../base/error_code.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { BigIntStats } from "node:fs";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  EEXIST: "it exists already",
  EACCES: "the operating system denies permission",
  EPERM: "the operating system denies permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the path is too long for the file system",
  ELOOP: "its symbolic links go round in a circle",
  EILSEQ: "the file system does not take this name",
  EINVAL: "the file system does not take this name",
  EMFILE: "too many files are open; try again",
  ENFILE: "too many files are open; try again",
  EBUSY: "it is in use; try again",
  ETXTBSY: "it is being executed",
  EFBIG: "it would be too big for the file system",
  EIO: "the disk reports an input/output error",
};

/**
 * Converts a file system error to a ToolFailure such as `Cannot read "a.txt": it does not exist.` Returns other errors
 * unchanged.
 */
export function toFileFailure(error: unknown, action: string, shown: string): unknown {
  if (error instanceof ToolFailure || !(error instanceof Error)) return error;
  const denied = describeDenied(error, { hidden: true });
  if (denied !== undefined) {
    return new ToolFailure(`Cannot ${action} "${shown}": ${denied}.`, { cause: error });
  }
  const code = errorCode(error);
  if (code === undefined) return error;
  const reason = REASONS[code] ?? `the file system reports ${code}`;
  return new ToolFailure(`Cannot ${action} "${shown}": ${reason}.`, { cause: error });
}

/**
 * The number of attempts of an operation whose path is replaced meanwhile, for example by an editor that saves the file.
 */
const MAX_ATTEMPTS = 3;

/** Error: the path was replaced between its check and its use. */
export class PlaceChanged extends Error {
  override readonly name: string = "PlaceChanged";
}

/** Error: a folder without a descriptor was moved or changed during the whole wait, so a retry would fail, too. */
export class PlaceUnsettled extends PlaceChanged {
  override readonly name = "PlaceUnsettled";
}

/**
 * Runs `work`, which must check the path and use it, and repeats it when it throws PlaceChanged. Throws ToolFailure `Cannot
 * ${action} "${text}": ...` when the last attempt fails, and for file system errors. Rethrows other errors.
 */
export async function retryIfPlaceChanged<T>(
  { action, text }: { action: string; text: string },
  work: () => Promise<T>,
): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlaceChanged)) throw toFileFailure(error, action, text);
      if (count < MAX_ATTEMPTS && !(error instanceof PlaceUnsettled)) continue;
      throw new ToolFailure(
        `Cannot ${action} "${text}": its path changed during the operation. Check the path and try again.`,
        { cause: error },
      );
    }
  }
}

/**
 * Throws ToolFailure unless the entry is a regular file. Throws PlaceChanged for a symlink: the path had no symlink when it
 * was checked.
 */
export function requireFile(
  info: BigIntStats,
  { action, text }: { action: string; text: string },
): void {
  if (info.isFile()) return;
  // The checked path has no symlinks, so this symlink was created after the check.
  if (info.isSymbolicLink()) throw new PlaceChanged();
  if (info.isDirectory()) {
    throw new ToolFailure(
      `Cannot ${action} "${text}": it is a folder. Use file_glob to see what is in it.`,
    );
  }
  throw new ToolFailure(
    `Cannot ${action} "${text}": it is not a regular file (a pipe, socket or device).`,
  );
}
