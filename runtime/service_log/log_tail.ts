// Reads the last lines of the service log, backwards from its end, so that the time does not depend on the size of the
// file.
import type { Redactor } from "../secrets/redactor.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The maximum number of bytes read from all files together. A line rarely exceeds 200 bytes. */
const MOST_BYTES = 2 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;

/** The maximum number of lines of a secret. A long private key has about a hundred. */
const LONGEST_SECRET_LINES = 200;

/**
 * Returns the last `lines` lines of a log without secrets. The file may contain the output of a dying process, which was
 * not redacted. Earlier lines are read, too, to find a secret that spans several lines.
 */
export async function readRedactedTail(
  path: string,
  { lines, redactor }: { lines: number; redactor: Redactor },
): Promise<string[]> {
  const found = await readLogTail(path, { lines: lines + LONGEST_SECRET_LINES });
  if (found.length === 0) return found;
  const shown = redactor.redact(found.join("\n")).split("\n");
  return shown.slice(Math.max(0, shown.length - lines));
}

/**
 * Returns the last `lines` lines of a log, oldest first. If the file has fewer lines, continues in the rotated file
 * (`path.1`). Returns fewer lines if the log is shorter or the lines exceed 2 MB. A missing file is an empty log.
 */
export async function readLogTail(path: string, options: { lines: number }): Promise<string[]> {
  const newest = await readTail(path, { ...options, bytes: MOST_BYTES });
  const missing = options.lines - newest.length;
  if (missing <= 0) return newest;
  const read = newest.reduce((sum, line) => sum + line.length + 1, 0);
  const bytes = MOST_BYTES - read;
  return [...await readTail(`${path}.1`, { lines: missing, bytes }), ...newest];
}

async function readTail(
  path: string,
  { lines, bytes }: { lines: number; bytes: number },
): Promise<string[]> {
  const file = await Deno.open(path).catch(ignoreMissing);
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const lowest = Math.max(0, size - bytes);
    let start = size;
    let blocks: Uint8Array<ArrayBuffer>[] = [];
    let breaks = 0;
    // The search needs one line break more than lines: the one before the first wanted line.
    while (start > lowest && breaks <= lines) {
      const end = start;
      start = Math.max(lowest, end - BLOCK_BYTES);
      const block = new Uint8Array(end - start);
      await file.seek(start, Deno.SeekMode.Start);
      const bytesRead = await file.read(block) ?? 0;
      // If the file was truncated meanwhile, fewer bytes are read.
      const got = block.subarray(0, bytesRead);
      breaks += got.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0);
      blocks = [got, ...blocks];
    }
    const text = new TextDecoder().decode(await new Blob(blocks).arrayBuffer());
    const found = text.split("\n");
    // The text after the last line break is an unfinished line, or empty.
    if (found.at(-1) === "") found.pop();
    // The first line may lack its beginning.
    if (start > 0) found.shift();
    return found.slice(-lines);
  } finally {
    file.close();
  }
}
