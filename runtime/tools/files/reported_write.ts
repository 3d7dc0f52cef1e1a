// The report of a tool's change to a file, so that a watcher of that file knows who changed it.
import type { BigIntStats } from "node:fs";
import { identityOf } from "./place.ts";

/** The version of a file's content. It stays equal while the file is unchanged. */
export type FileVersion = string;

/** The state of a file after a tool's change. */
export interface WrittenFile {
  version: FileVersion;
  /** In bytes. */
  size: number;
  /** Hexadecimal. Null for a moved file, whose content was not read. */
  sha256: string | null;
}

/** A change by a tool. It is reported before it is visible, so that no watcher attributes it to somebody else. */
export interface FileWrite {
  /** Absolute and real. */
  path: string;
  /** The result of the change. Never rejects. */
  outcome: Promise<WrittenFile | "removed" | "unchanged">;
}

/** Returns the version from a stat result. */
export function versionOf(info: BigIntStats): FileVersion {
  return `${identityOf(info)}:${info.size}:${info.mtimeNs}`;
}

/** Reports a change, then makes it. Throws the errors of the change. */
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
    // A published file may exist after an error. The report names its content, so reporting it is safe.
    reported.resolve(outcome === "removed" ? "unchanged" : outcome);
    throw error;
  }
  reported.resolve(outcome);
}
