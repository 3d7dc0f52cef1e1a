// One date for all files: executables record it, and the same sources shall give the same bytes.
import { join } from "node:path";
import { filesBelow, forEachFile } from "./folder.ts";

const DATE = new Date("2000-01-01T00:00:00Z");

/** Gives every file below a folder the same date. */
export async function unifyDates(directory: string): Promise<void> {
  await forEachFile(await filesBelow(directory), async (file) => {
    const path = join(directory, file);
    // The installer links to files of Deno's cache, which are not ours to touch.
    await Deno.copyFile(path, `${path}.own`);
    await Deno.rename(`${path}.own`, path);
    await Deno.utime(path, DATE, DATE);
  });
}
