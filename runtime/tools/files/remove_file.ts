// Removing a file: its entry's path is resolved through the sandbox, and what is removed is proven to be the file that
// passed. File tools remove in no other way.
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FileIdentity, identityOf } from "./place.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { refuseUnlessFile, retryIfPlaceChanged } from "./file_failure.ts";
import { type HeldEntry, StagedFile } from "./staged_file.ts";
import { reportWrite } from "./reported_write.ts";

/** Removes a file, or a symlink itself. Returns the path as shown. Throws ToolFailure. */
export async function removeFile(sandbox: PathSandbox, text: string): Promise<string> {
  return await retryIfPlaceChanged({ action: "delete", text }, async () => {
    const { path, display } = await sandbox.resolveEntry(text);
    using folder = await sandbox.hold(dirname(path), "write");
    const entry = { folder, name: basename(path) };
    const info = lstatSync(folder.at(entry.name), { bigint: true });
    if (!info.isSymbolicLink()) refuseUnlessFile(info, { action: "delete", text });
    await removeEntry(sandbox, entry, identityOf(info));
    return display;
  });
}

/** Removes an entry that passed, if it still is that one; throws PlaceChanged if not. */
export async function removeEntry(
  sandbox: PathSandbox,
  entry: HeldEntry,
  identity: FileIdentity,
): Promise<void> {
  const path = join(entry.folder.path, entry.name);
  await reportWrite(sandbox, { path, outcome: "removed" }, async () => {
    await (await StagedFile.setAside(entry, identity)).discard();
  });
}
