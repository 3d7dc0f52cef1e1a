// The file system's errors as sentences a model can act on. Never the host's path: only the one that was asked for.
import { describeDenied } from "../../../base/denied_permission.ts";
import { errorCode } from "../../../base/error_code.ts";
import { ToolFailure } from "../tool_failure.ts";

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
