// Failures of file operations, as sentences a model can act on. They name the path that the model gave, never the host's.
import { describeDenied } from "../../../base/denied_permission.ts";
import { errorCode } from "../../../base/error_code.ts";
import { ToolFailure } from "../tool_failure.ts";
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

/** An error of the file system as a ToolFailure: `Cannot read "a.txt": it does not exist.` Other errors pass through. */
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

/** How often an operation starts over when its file was replaced meanwhile (an editor saving, for one). */
const ATTEMPTS = 3;

/** A folder or file is no longer where it was checked to be. */
export class PlaceChanged extends Error {
  override readonly name: string = "PlaceChanged";
}

/** A folder that cannot be held changes so often that one waited for nothing: to start over does not help. */
export class PlaceUnsettled extends PlaceChanged {
  override readonly name = "PlaceUnsettled";
}

/**
 * Does something with the file that `text` names, the check of its path included, and does all of it again when it ends
 * with PlaceChanged. Throws ToolFailure, `Cannot ${action} "${text}": ...`, when that comes each time, and for what the file
 * system reports; other errors pass through.
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
      if (count < ATTEMPTS && !(error instanceof PlaceUnsettled)) continue;
      throw new ToolFailure(
        `Cannot ${action} "${text}": its place in the file system changed meanwhile. Look again and retry.`,
        { cause: error },
      );
    }
  }
}

/**
 * Throws ToolFailure saying that it cannot do `action` with `text` when that is no regular file, and PlaceChanged when it
 * is a symlink: the path was real when it was checked.
 */
export function refuseUnlessFile(
  info: BigIntStats,
  { action, text }: { action: string; text: string },
): void {
  if (info.isFile()) return;
  // A symlink where a real path was: it was put there after the check.
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
