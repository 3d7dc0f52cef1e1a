// Folders of which it is proven that they lie where their paths say: made where they are missing, and written to the disk.
import { constants } from "node:fs";
import { lstat, mkdir, open, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../error_code.ts";
import { identityOf, isAt } from "./file_identity.ts";
import { ignoreMissing, lstatIfThere } from "./missing_entry.ts";
import { PlaceChanged } from "./place_changed.ts";

/** Throws PlaceChanged unless the real path names a folder there, and the error of a path that names none. */
export async function proveFolder(folder: string): Promise<void> {
  const info = await lstat(folder, { bigint: true });
  if (!info.isDirectory()) {
    throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  }
  if (!isAt(folder, identityOf(info))) throw new PlaceChanged();
}

/** Makes the missing folders of a real path, one by one, each proven to lie where it should. */
export async function makeFolders(folder: string): Promise<void> {
  const info = await lstatIfThere(folder);
  if (info?.isDirectory()) return;
  const parent = dirname(folder);
  try {
    if (parent !== folder) await makeFolders(parent);
    await proveFolder(parent);
  } catch (error) {
    // Deno's flags may allow a folder that is yet to be made, and not the one that it will lie in: what was made is proven.
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
  try {
    await mkdir(folder);
  } catch (error) {
    // Another call may have made it meanwhile; whether it is a folder shows below.
    if (errorCode(error) !== "EEXIST") throw error;
    await proveFolder(folder);
    return;
  }
  try {
    await proveFolder(folder);
  } catch (error) {
    await rmdir(folder).catch(ignoreMissing);
    throw error;
  }
}

/** Writes to the disk which entries a folder has. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot sync a folder; the file itself is on the disk.
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EBADF"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await handle.close();
  }
}
