// Operations on folders and files, for packing.
import { cp, readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";

/** Returns the paths of all files below a folder, relative to this folder and sorted. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name))).sort();
}

/** Copies a file or a folder with its content. Of a link, copies what it leads to. */
export async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, dereference: true });
}

/** Removes a file or a folder with its content, if it exists. */
export async function removeIfThere(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

/** Writes a value to a file as indented JSON. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}
