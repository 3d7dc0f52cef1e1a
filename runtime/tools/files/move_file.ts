// Moves a file inside the sandbox. The file gets its new name, and is checked under that name, before the old name is
// removed. File tools move files only through this module.
import { type BigIntStats, lstatSync } from "node:fs";
import { basename, dirname } from "../../../base/plain_path.ts";
import { PlaceChanged, requireFile, retryIfPlaceChanged, toFileFailure } from "./file_failure.ts";
import { type OpenedFile, openFile } from "./opened_file.ts";
import { identityOf } from "./place.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { removeEntry } from "./remove_file.ts";
import { type FolderEntry, isLinkRefusal, lstatIfExists, StagedFile } from "./staged_file.ts";
import { reportWrite, versionOf } from "./reported_write.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const COPY_BYTES = 256 * 1024;

/**
 * Moves a regular file to a path that does not exist; never overwrites. Returns both paths as shown to the model. Throws
 * ToolFailure.
 */
export async function moveFile(
  sandbox: PathSandbox,
  texts: { source: string; destination: string },
  options: { signal: AbortSignal },
): Promise<{ source: string; destination: string }> {
  const { source, destination } = texts;
  return await retryIfPlaceChanged({ action: "move", text: source }, async () => {
    const from = await sandbox.resolveEntry(source);
    using sourceFolder = await sandbox.openFolder(dirname(from.path), "write");
    const old = { folder: sourceFolder, name: basename(from.path) };
    const info = lstatSync(old.folder.pathOf(old.name), { bigint: true });
    if (info.isSymbolicLink()) {
      throw new ToolFailure(
        `Cannot move "${source}": it is a symbolic link; only files can be moved.`,
      );
    }
    requireFile(info, { action: "move", text: source });
    const to = await sandbox.resolve(destination, "write");
    using targetFolder = await sandbox.createFolder(dirname(to.path));
    const target = { folder: targetFolder, name: basename(to.path) };
    await refuseIfThere(target, destination);
    const staged = await stageCopy(old, info, target, {
      ...options,
      open: () => openFile(sandbox, source),
    });
    try {
      const written = { version: staged.version(), size: Number(info.size), sha256: null };
      await reportWrite(sandbox, { path: to.path, outcome: written }, () => staged.publishNew());
    } catch (error) {
      staged.discard();
      throw toFileFailure(error, "move to", destination);
    }
    try {
      await removeEntry(sandbox, old, identityOf(info));
    } catch (error) {
      const copy = await lstatIfExists(target.folder.pathOf(target.name));
      if (copy !== undefined) await removeEntry(sandbox, target, identityOf(copy));
      throw error;
    }
    return { source: from.display, destination: to.display };
  });
}

/**
 * Creates a hard link to the file, with a random name, in the target's folder. Copies the file where hard links are
 * impossible.
 */
async function stageCopy(
  old: FolderEntry,
  info: BigIntStats,
  target: FolderEntry,
  { open, signal }: { open: () => Promise<OpenedFile>; signal: AbortSignal },
): Promise<StagedFile> {
  try {
    return await StagedFile.link(old, identityOf(info), target);
  } catch (error) {
    if (!isLinkRefusal(error)) throw error;
  }
  await using file = await open();
  if (file.version !== versionOf(info)) throw new PlaceChanged();
  return await StagedFile.write(target, chunksOf(file), { mode: Number(info.mode), signal });
}

async function* chunksOf(file: OpenedFile): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(COPY_BYTES);
  for (let position = 0, count; (count = await file.read(buffer, position)) > 0;) {
    position += count;
    yield buffer.subarray(0, count);
  }
}

async function refuseIfThere({ folder, name }: FolderEntry, text: string): Promise<void> {
  const info = await lstatIfExists(folder.pathOf(name));
  if (info === undefined) return;
  throw new ToolFailure(
    info.isDirectory()
      ? `Cannot move to "${text}": it is a folder. Name the file in it, too.`
      : `Cannot move to "${text}": it exists already, and moving never overwrites.`,
  );
}
