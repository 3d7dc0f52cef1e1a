// What a log file got since it was looked at: what a program said that was just started.
import { sanitise } from "../output/sanitise.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

const SHOWN_LINES = 15;
const SHOWN_BYTES = 8_192;

/** Bytes of a file; 0 where it is not there. */
export async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(ignoreMissing))?.size ?? 0;
}

/** What a service says of a start that goes well: noise before the line that says why it failed. */
const ROUTINE_LINE = /^\d{4}-\S+Z (DEBUG|INFO) /;

/**
 * The last lines that a file got since it had `size` bytes, fit for a terminal; without the routine lines of a service log,
 * where there are others.
 */
export async function readEnd(path: string, size: number): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const now = (await file.stat()).size;
  // A file that is smaller than it was has been rotated: all of it is new.
  const from = Math.max(now < size ? 0 : size, now - SHOWN_BYTES);
  await file.seek(from, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  const lines = sanitise(text).trim().split("\n");
  const telling = lines.filter((line) => !ROUTINE_LINE.test(line));
  return (telling.length === 0 ? lines : telling).slice(-SHOWN_LINES).join("\n");
}
