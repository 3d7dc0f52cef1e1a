// Operations on folders and files, for packing.
import { dirname, join, relative } from "node:path";

/** The number of files that are processed in parallel. */
const AT_ONCE = 32;

/** Calls `work` for many files, several in parallel. Rejects with the first error after all started work has ended. */
export async function forEachFile(
  files: readonly string[],
  work: (file: string) => Promise<void>,
): Promise<void> {
  const left = files.values();
  const workers = await Promise.allSettled(Array.from({ length: AT_ONCE }, async () => {
    for (const file of left) await work(file);
  }));
  for (const one of workers) if (one.status === "rejected") throw one.reason;
}

/** Returns the paths of all files below a folder, relative to this folder and sorted. */
export async function filesBelow(directory: string): Promise<string[]> {
  const files: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await Array.fromAsync(Deno.readDir(folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory) await walk(path);
      else files.push(relative(directory, path));
    }
  };
  await walk(directory);
  return files.sort();
}

/** Copies a file or a folder with its content. */
export async function copyTree(from: string, to: string): Promise<void> {
  const isFile = (await Deno.stat(from)).isFile;
  await forEachFile(isFile ? [""] : await filesBelow(from), async (file) => {
    const path = join(to, file);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.copyFile(join(from, file), path);
  });
}

/** Removes a file or a folder with its content, if it exists. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Writes a value to a file as indented JSON. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}
