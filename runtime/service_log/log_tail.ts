// The last lines of the service log, read backwards from the end, so that the size of the file does not matter.
import type { Redactor } from "../secrets/redactor.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The most bytes read of all files together. A line rarely exceeds 200 bytes. */
const MOST_BYTES = 2 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;

/** The most lines of a secret: a long private key has about a hundred. */
const LONGEST_SECRET_LINES = 200;

/**
 * Returns the last `lines` lines of a log without secrets. The file also contains the output of a dying process, which
 * was not redacted. So earlier lines are read too, to find a secret that spans several lines.
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
 * Returns the last `lines` lines of a log, oldest first, continued in the rotated file (`path.1`). Returns fewer when the
 * log is shorter or the lines exceed 2 MB. A missing file is an empty log.
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
    // One more line break than lines: it ends the line before the first wanted one.
    while (start > lowest && breaks <= lines) {
      const end = start;
      start = Math.max(lowest, end - BLOCK_BYTES);
      const block = new Uint8Array(end - start);
      await file.seek(start, Deno.SeekMode.Start);
      const bytesRead = await file.read(block) ?? 0;
      // A file that was truncated meanwhile returns less.
      const got = block.subarray(0, bytesRead);
      breaks += got.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0);
      blocks = [got, ...blocks];
    }
    const text = new TextDecoder().decode(await new Blob(blocks).arrayBuffer());
    const found = text.split("\n");
    // After the last line break comes an unfinished line, or nothing.
    if (found.at(-1) === "") found.pop();
    // The first line may be incomplete.
    if (start > 0) found.shift();
    return found.slice(-lines);
  } finally {
    file.close();
  }
}
