// Reads the memory of a service right after it released unused memory. collect.ts writes these measurements.
import { join } from "node:path";
import type { MemorySample } from "./memory_slope.ts";

/** The file of measurements, in the soak's home directory. Each line is a CollectedLine in JSON. */
export const COLLECTED_FILE = "collected-memory.jsonl";

/** One measurement: `at` in milliseconds since the epoch, sizes in bytes. */
export interface CollectedLine {
  pid: number;
  at: number;
  rss: number;
  heapUsed: number;
  code: number;
}

/** The measurements of one process in a period. Times are in milliseconds since the epoch. */
export interface CollectedMemory {
  /** Resident memory. */
  rss: MemorySample[];
  /** V8's used heap: the objects of JavaScript. */
  objects: MemorySample[];
  /** The code that V8 has compiled. */
  code: MemorySample[];
}

/** Returns the measurements of a process between two times, from the home directory of a soak. */
export async function readCollectedMemory(
  root: string,
  { pid, from, to }: { pid: number; from: number; to: number },
): Promise<CollectedMemory> {
  const text = await Deno.readTextFile(join(root, COLLECTED_FILE)).catch((error) => {
    // The file is missing if the service ended before its first measurement.
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
