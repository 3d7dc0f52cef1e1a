// Reports each change that a tool makes to a file, so that a watcher of the file can distinguish the agent's changes from others.
import type { BigIntStats } from "node:fs";
import { identityOf } from "./place.ts";

/** The version of a file's content: identity, size and modification time. It changes when the file is written. */
export type FileVersion = string;

/** The state of a file after a tool's change. */
export interface WrittenFile {
  version: FileVersion;
  /** The size of the file in bytes. */
  size: number;
  /** The hash of the content in hexadecimal. Null for a moved file, whose content was not read. */
  sha256: string | null;
}

/**
 * The report of a change by a tool. It is sent before the change is visible, so that no watcher attributes the change to
 * somebody else.
 */
export interface FileWrite {
  /** The real path of the file. */
  path: string;
  /** The state of the file after the change. Never rejects. */
  outcome: Promise<WrittenFile | "removed" | "unchanged">;
}

/** Returns a file's version from its stat result. */
export function versionOf(info: BigIntStats): FileVersion {
  return `${identityOf(info)}:${info.size}:${info.mtimeNs}`;
}

/** Reports a change, then makes it. Rethrows the errors of `change`. */
export async function reportWrite(
  to: { report(write: FileWrite): void },
  { path, outcome }: { path: string; outcome: WrittenFile | "removed" },
  change: () => Promise<void>,
): Promise<void> {
  const reported = Promise.withResolvers<WrittenFile | "removed" | "unchanged">();
  to.report({ path, outcome: reported.promise });
  try {
    await change();
  } catch (error) {
    // The file may be in place in spite of the error. Reporting its content is harmless if it is not.
    reported.resolve(outcome === "removed" ? "unchanged" : outcome);
    throw error;
  }
  reported.resolve(outcome);
}
