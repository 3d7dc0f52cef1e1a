// The memory of a service right after unused memory was released: see collect.ts.
import { join } from "node:path";
import type { MemorySample } from "./memory_slope.ts";

/** In the home of the soak; each line is a CollectedLine. */
export const COLLECTED_FILE = "collected-memory.jsonl";

/** One measurement: `at` in milliseconds since the epoch, the rest in bytes. */
export interface CollectedLine {
  pid: number;
  at: number;
  rss: number;
  heapUsed: number;
  code: number;
  heapTotal: number;
  /** Null when the C library does not report it. */
  allocated: number | null;
  /** Null when the system does not report it. */
  files: number | null;
}

/** The measurements of one process from a moment on (milliseconds since the epoch). */
export interface CollectedMemory {
  /** Resident memory. */
  rss: MemorySample[];
  /** Objects of JavaScript. */
  objects: MemorySample[];
  /** The compiled code of V8. */
  code: MemorySample[];
  /** V8's memory for both, including free space in between. */
  heap: MemorySample[];
  /** The C library's allocated memory. Memory that it caches is resident, too. */
  allocated: MemorySample[];
  /** The resident pages of files, mostly Deno's own program, which is read from the disk as it is used. */
  files: MemorySample[];
}

/** Reads the measurements from the home of a soak. */
export async function readCollectedMemory(
  root: string,
  { pid, from, to }: { pid: number; from: number; to: number },
): Promise<CollectedMemory> {
  const text = await Deno.readTextFile(join(root, COLLECTED_FILE)).catch((error) => {
    // The service lived for less than half a minute.
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as CollectedLine
  ).filter((line) => line.pid === pid && line.at >= from && line.at <= to);
  const toSamples = (bytesOf: (line: CollectedLine) => number | null) =>
    lines.flatMap((line) => {
      const bytes = bytesOf(line);
      return bytes === null ? [] : [{ at: line.at, megabytes: bytes / 1_048_576 }];
    });
  return {
    rss: toSamples(({ rss }) => rss),
    objects: toSamples(({ heapUsed, code }) => heapUsed - code),
    code: toSamples(({ code }) => code),
    heap: toSamples(({ heapTotal }) => heapTotal),
    allocated: toSamples(({ allocated }) => allocated),
    files: toSamples(({ files }) => files),
  };
}
