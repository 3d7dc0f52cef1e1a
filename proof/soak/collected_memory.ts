// What a service has in memory right after everything that is not used was given back: see collect.ts.
import { join } from "node:path";
import type { MemorySample } from "./memory_slope.ts";

/** In the home of the soak; each line is a CollectedLine. */
export const COLLECTED_FILE = "collected-memory.jsonl";

/** What was measured at one moment: `at` in milliseconds since the epoch, the rest in bytes. */
export interface CollectedLine {
  pid: number;
  at: number;
  rss: number;
  heapUsed: number;
  code: number;
  heapTotal: number;
  /** Null where the C library does not tell. */
  allocated: number | null;
  /** Null where the system does not tell. */
  files: number | null;
}

/** What was measured of one process, from a moment (milliseconds since the epoch) on. */
export interface CollectedMemory {
  /** Resident memory. */
  rss: MemorySample[];
  /** Objects of JavaScript. */
  objects: MemorySample[];
  /** What V8 compiled of the program. */
  code: MemorySample[];
  /** What V8 holds for both, with what is free in between. */
  heap: MemorySample[];
  /** What the C library has given out and not got back; what it keeps for later is resident, too. */
  allocated: MemorySample[];
  /** The pages of files that are resident, Deno's own program above all: it is read from the disk as it is used. */
  files: MemorySample[];
}

/** Reads it from the home of a soak. */
export async function readCollectedMemory(
  root: string,
  { pid, from, to }: { pid: number; from: number; to: number },
): Promise<CollectedMemory> {
  const text = await Deno.readTextFile(join(root, COLLECTED_FILE)).catch((error) => {
    // A service that did not live for half a minute.
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
