// Writes a file. Its path is resolved through the sandbox, and the written file is proven to be there. File tools write
// files only through this module.
//
// Hard links: a file is replaced and never written in place, so writing to a hard link leaves the file outside unchanged.
// For reading see opened_file.ts.
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { nextSlice } from "../../../base/slices.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { requireFile, retryIfPlaceChanged } from "./file_failure.ts";
import { type FolderEntry, lstatIfExists, StagedFile } from "./staged_file.ts";
import { type FileVersion, reportWrite, versionOf } from "./reported_write.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const WRITABLE = 0o222;

/** The file as shown, and whether it is new. */
export interface WriteOutcome {
  display: string;
  created: boolean;
}

/**
 * Writes a whole file: a temporary file beside it, then a rename. An existing file keeps its mode; missing folders are
 * created. With `version`, refuses a file that was changed since that version was read. Throws ToolFailure.
 */
export async function writeFile(
  sandbox: PathSandbox,
  text: string,
  content: Uint8Array,
  options: { version?: FileVersion; signal: AbortSignal },
): Promise<WriteOutcome> {
  return await retryIfPlaceChanged({ action: "write", text }, async () => {
    const { path, display } = await sandbox.resolve(text, "write");
    using folder = await sandbox.createFolder(dirname(path));
    const place = { folder, name: basename(path) };
    const before = await lstatIfExists(folder.pathOf(place.name));
    if (before !== undefined) {
      requireFile(before, { action: "write", text });
      if ((Number(before.mode) & WRITABLE) === 0) {
        throw new ToolFailure(`Cannot write "${text}": the file is marked read-only.`);
      }
    }
    const staged = await StagedFile.write(place, [content], {
      signal: options.signal,
      ...(before === undefined ? {} : { mode: Number(before.mode) }),
    });
    try {
      await nextSlice();
      const sha256 = createHash("sha256").update(content).digest("hex");
      const written = { version: staged.version(), size: content.length, sha256 };
      await refuseIfChanged(place, options.version, text);
      await reportWrite(sandbox, { path, outcome: written }, () => staged.publish());
    } catch (error) {
      staged.discard();
      throw error;
    }
    return { display, created: before === undefined };
  });
}

async function refuseIfChanged(
  { folder, name }: FolderEntry,
  version: FileVersion | undefined,
  text: string,
): Promise<void> {
  if (version === undefined) return;
  const info = await lstatIfExists(folder.pathOf(name));
  if (info !== undefined && versionOf(info) === version) return;
  throw new ToolFailure(
    `Cannot write "${text}": somebody changed it since it was read. Read it again.`,
  );
}
