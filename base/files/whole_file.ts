// Reads whole files and refuses everything but regular files, because opening a named pipe would block forever and reading
// a device would never end.
import { ifThere } from "./missing.ts";

/** Thrown if a path leads to something other than a file, or to a file that is too large. */
export class UnfitFile extends Error {
  override readonly name = "UnfitFile";
  /** The error code, because of which `unreadableReason` accepts the error as a file system error. */
  readonly code = "unfit_file";
}

/**
 * Throws UnfitFile if the path leads to something other than a file; a missing path is no error. Throws errors of the file
 * system.
 */
export function requireFile(path: string): void {
  const info = ifThere(() => Deno.statSync(path));
  if (info !== undefined) checkFile(info);
}

/** Returns the bytes of a file of at most `maxBytes`. Throws UnfitFile and errors of the file system. */
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
