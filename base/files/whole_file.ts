// Whole files read, and only files: opening a named pipe would wait for ever, reading a device would never end.
import { ifThere } from "./missing.ts";

/** Something stands at a path that is not a file, or is too large a one. */
export class UnfitFile extends Error {
  override readonly name = "UnfitFile";
  /** Marks it as a failure of the file system, as `unreadableReason` takes them. */
  readonly code = "unfit_file";
}

/** Throws UnfitFile unless this path leads to a file, or to nothing; and what the file system throws. */
export function requireFile(path: string): void {
  const info = ifThere(() => Deno.statSync(path));
  if (info !== undefined) checkFile(info);
}

/** The bytes of a file of at most so many. Throws UnfitFile, and what the file system throws. */
export async function readWholeFile(
  path: string,
  { maxBytes }: { maxBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const info = await Deno.stat(path);
  checkFile(info);
  if (info.size > maxBytes) throw new UnfitFile(`it is over ${Math.floor(maxBytes / 1_024)} KB`);
  return await Deno.readFile(path);
}

function checkFile({ isFile, isDirectory }: Deno.FileInfo): void {
  if (isFile) return;
  throw new UnfitFile(isDirectory ? "it is a folder" : "it is not a file but a pipe or a device");
}
