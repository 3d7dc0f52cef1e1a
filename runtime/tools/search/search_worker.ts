// Rules files out of a search, in a thread of its own, from the last file to the first.
import { Buffer } from "node:buffer";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { LiteralFilter } from "./literal_filter.ts";
import type { SearchJob } from "./search_helper.ts";

/** Files of this size and larger files are not ruled out. */
const MAX_BYTES = 1024 * 1024;
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

// The compiler only knows the global scope of a main module.
const scope = globalThis as unknown as Pick<Worker, "onmessage">;
scope.onmessage = ({ data }: MessageEvent<SearchJob>) => {
  const { paths, done, literals } = data;
  const filter = new LiteralFilter(literals);
  const buffer = Buffer.alloc(MAX_BYTES);
  for (let at = paths.length - 1; at >= 0 && Atomics.load(done, at) === 0; at--) {
    if (isRuledOut(paths[at]!, { filter, buffer })) Atomics.store(done, at, 1);
  }
};

/** Returns true if the file can be read and contains no match. */
function isRuledOut(
  path: string,
  { filter, buffer }: { filter: LiteralFilter; buffer: Buffer },
): boolean {
  try {
    const fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      const size = readSync(fd, buffer, 0, MAX_BYTES, 0);
      return size < MAX_BYTES && !filter.mayMatch(buffer.toString("latin1", 0, size));
    } finally {
      closeSync(fd);
    }
  } catch {
    // The search itself finds and reports the error.
    return false;
  }
}
