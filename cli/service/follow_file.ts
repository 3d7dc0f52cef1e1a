// Reads the lines of a growing text file across log rotations, as `tail -F` does.
import type { Clock } from "../context/app.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

const POLL_MS = 250;
const CHUNK_BYTES = 65_536;

/**
 * Yields the last `last` lines of a file, then every appended line. Reads a replaced or truncated file from its beginning,
 * and waits for a missing file. Throws the reason of `signal` when it aborts.
 */
export async function* followFile(
  path: string,
  options: { last: number; clock: Clock; signal: AbortSignal; onMissing: () => void },
): AsyncGenerator<string, never, void> {
  const { clock, signal } = options;
  let file = await Deno.open(path).catch(ignoreMissing);
  if (file === undefined) options.onMissing();
  try {
    let skipped = file === undefined;
    let lines = new LineReader();
    for (;;) {
      if (file !== undefined) {
        const found = await lines.read(file);
        // The first read of an existing file yields only its last lines.
        yield* skipped ? found : found.slice(Math.max(0, found.length - options.last));
        skipped = true;
      }
      await clock.sleep(POLL_MS, signal);
      if (file === undefined || await wasReplaced(file, path)) {
        const next = await Deno.open(path).catch(ignoreMissing);
        if (next === undefined) continue;
        // Reads the lines that were written to the old file between the last read and the rotation.
        if (file !== undefined) yield* await lines.read(file);
        file?.close();
        file = next;
        lines = new LineReader();
      }
    }
  } finally {
    file?.close();
  }
}

/** Reads whole lines of an open file, and keeps an incomplete line for the next read. */
class LineReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  async read(file: Deno.FsFile): Promise<string[]> {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const parts = [this.#rest];
    for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
      parts.push(this.#decoder.decode(buffer.subarray(0, count), { stream: true }));
    }
    const lines = parts.join("").split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }
}

/** Returns whether the path now names another file, or the file is shorter than the bytes read from it. */
async function wasReplaced(file: Deno.FsFile, path: string): Promise<boolean> {
  const open = await file.stat();
  const position = await file.seek(0, Deno.SeekMode.Current);
  if (open.size < position) return true;
  const now = await Deno.stat(path).catch(ignoreMissing);
  // A rotation renames the old file before it creates the new one, so the path may be missing for a moment.
  return now !== undefined && (now.ino !== open.ino || now.dev !== open.dev);
}
