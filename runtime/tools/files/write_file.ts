// Writes a file. Its path is resolved through the sandbox, then the written file is proven to be at that path. File tools
// write files only through this module.
//
// Hard links: a file is replaced and never written in place, so writing to a hard link leaves the file outside unchanged.
// opened_file.ts describes reading of hard links.
import { createHash } from "node:crypto";
import { basename, dirname } from "../../../base/plain_path.ts";
import { nextSlice } from "../../../base/slices.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { requireFile, retryIfPlaceChanged } from "./file_failure.ts";
import { type FolderEntry, lstatIfExists, StagedFile } from "./staged_file.ts";
import { type FileVersion, reportWrite, versionOf } from "./reported_write.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const WRITABLE = 0o222;

/** The path of a written file as shown to the model, whether the file is new, and its size in bytes. */
export interface WriteOutcome {
  display: string;
  created: boolean;
  size: number;
}

/**
 * Replaces a whole file: writes a temporary file in the same folder, then renames it. Keeps the permissions of an existing
 * file, and creates missing folders. Waits until no other call changes the file. A function as `content` opens a stream, and
 * is called again if the file's path changed meanwhile. With `version`, refuses to replace a file that changed since that
 * version was read, and the caller holds the file in PathSandbox.changes. Throws ToolFailure.
 */
export async function writeFile(
  sandbox: PathSandbox,
  text: string,
  content: Uint8Array | (() => AsyncIterable<Uint8Array>),
  options: { version?: FileVersion; signal: AbortSignal },
): Promise<WriteOutcome> {
  return await retryIfPlaceChanged({ action: "write", text }, async () => {
    const { path, display } = await sandbox.resolve(text, "write");
    using _turn = options.version === undefined ? await sandbox.changes.take(path) : undefined;
    using folder = await sandbox.createFolder(dirname(path));
    const place = { folder, name: basename(path) };
    const before = await lstatIfExists(folder.pathOf(place.name));
    if (before !== undefined) {
      requireFile(before, { action: "write", text });
      if ((Number(before.mode) & WRITABLE) === 0) {
        throw new ToolFailure(`Cannot write "${text}": the file is marked read-only.`);
      }
    }
    const hash = createHash("sha256");
    let size = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of typeof content === "function" ? content() : [content]) {
        yield chunk;
        await nextSlice();
        hash.update(chunk);
        size += chunk.length;
      }
    }
    const staged = await StagedFile.write(place, counted(), {
      signal: options.signal,
      ...(before === undefined ? {} : { mode: Number(before.mode) }),
    });
    try {
      const written = { version: staged.version(), size, sha256: hash.digest("hex") };
      await refuseIfChanged(place, options.version, text);
      await reportWrite(sandbox, { path, outcome: written }, () => staged.publish());
    } catch (error) {
      staged.discard();
      throw error;
    }
    return { display, created: before === undefined, size };
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
