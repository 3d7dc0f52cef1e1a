// Removes a file. Its path is resolved through the sandbox, then the removed entry is proven to be the entry that was
// checked. File tools remove files only through this module.
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "../../../base/plain_path.ts";
import { type FileIdentity, identityOf } from "./place.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { requireFile, retryIfPlaceChanged } from "./file_failure.ts";
import { type FolderEntry, StagedFile } from "./staged_file.ts";
import { reportWrite } from "./reported_write.ts";

/**
 * Removes a file. If the path is a symlink, removes the symlink and keeps its target. Returns the path as shown to the
 * model. Throws ToolFailure.
 */
export async function removeFile(sandbox: PathSandbox, text: string): Promise<string> {
  return await retryIfPlaceChanged({ action: "delete", text }, async () => {
    const { path, display } = await sandbox.resolveEntry(text);
    using folder = await sandbox.openFolder(dirname(path), "write");
    const entry = { folder, name: basename(path) };
    const info = lstatSync(folder.pathOf(entry.name), { bigint: true });
    if (!info.isSymbolicLink()) requireFile(info, { action: "delete", text });
    await removeEntry(sandbox, entry, identityOf(info));
    return display;
  });
}

/** Removes a checked entry. Throws PlaceChanged if another file has replaced it. */
export async function removeEntry(
  sandbox: PathSandbox,
  entry: FolderEntry,
  identity: FileIdentity,
): Promise<void> {
  const path = join(entry.folder.path, entry.name);
  await reportWrite(sandbox, { path, outcome: "removed" }, async () => {
    await (await StagedFile.moveAside(entry, identity)).discard();
  });
}
