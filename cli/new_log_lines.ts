// What a log file got since it was looked at: what a program says that was just started.
import { sanitise } from "./output/sanitise.ts";

const SHOWN_LINES = 15;
const SHOWN_BYTES = 8_192;

/** Bytes of a file; none where it is not there. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** The last lines that a file got since it had `size` bytes, fit for a terminal. */
export async function readEnd(path: string, size: number): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const now = (await file.stat()).size;
  // A file that is smaller than it was has been rotated: all of it is new.
  const from = Math.max(now < size ? 0 : size, now - SHOWN_BYTES);
  await file.seek(from, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  return sanitise(text).trim().split("\n").slice(-SHOWN_LINES).join("\n");
}
