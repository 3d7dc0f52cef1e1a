// What a service has in memory right after everything that is not used was given back: see collect.ts.
import { join } from "node:path";
import type { MemorySample } from "./memory_slope.ts";

/** In the home of the soak; a line is `{ pid, at, rss, heapUsed, code }`, `at` in milliseconds since the epoch, the rest in bytes. */
export const COLLECTED_FILE = "collected-memory.jsonl";

interface CollectedLine {
  pid: number;
  at: number;
  rss: number;
  heapUsed: number;
  code: number;
}

/** What was measured of one process, from a moment (milliseconds since the epoch) on. */
export interface CollectedMemory {
  /** Resident memory. */
  rss: MemorySample[];
  /** Objects of JavaScript. */
  objects: MemorySample[];
  /** What V8 compiled of the program. */
  code: MemorySample[];
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
  const toSamples = (bytesOf: (line: CollectedLine) => number) =>
    lines.map((line) => ({ at: line.at, megabytes: bytesOf(line) / 1_048_576 }));
  return {
    rss: toSamples(({ rss }) => rss),
    objects: toSamples(({ heapUsed, code }) => heapUsed - code),
    code: toSamples(({ code }) => code),
  };
}
