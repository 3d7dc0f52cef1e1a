// How a tool reports a change that it makes to a file, for whoever watches that file and must know whose change it was.
import type { BigIntStats } from "node:fs";
import { identityOf } from "./place.ts";

/** The state of a file's content: equal while nobody changed it. */
export type FileVersion = string;

/** A file as a tool left it. */
export interface WrittenFile {
  version: FileVersion;
  /** Bytes. */
  size: number;
  /** Hexadecimal; null where the content was never looked at (a moved file's). */
  sha256: string | null;
}

/** A change by a tool, reported before it can be seen, so that no watcher sees it first and takes it for another's. */
export interface FileWrite {
  /** Absolute and real. */
  path: string;
  /** What came of it; never rejects. */
  outcome: Promise<WrittenFile | "removed" | "unchanged">;
}

/** The version in a stat result. */
export function versionOf(info: BigIntStats): FileVersion {
  return `${identityOf(info)}:${info.size}:${info.mtimeNs}`;
}

/** Makes a change, and reports it before it can be seen. Throws as the change does. */
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
    // A file that was published may be there nevertheless; the claim names its content, so it does no harm.
    reported.resolve(outcome === "removed" ? "unchanged" : outcome);
    throw error;
  }
  reported.resolve(outcome);
}
