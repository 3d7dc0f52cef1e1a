// Ends a process whose memory grows without end, or that still computes when no result is awaited.
import process from "node:process";
import type { Clock } from "../../../../base/clock.ts";

/** The most that a process with a tool in it may use, all included; V8's limit for objects lies below. */
export const MEMORY_LIMIT_MB = 512;

const LOOK_MS = 50;
const REST_MS = 500;
/** The share of one processor above which it does not count as idle, also on a busy machine. */
const REST_SHARE = 0.15;
/** In a row: what a call leaves to tidy up takes a moment. */
const UNQUIET_RESTS = 4;

/**
 * Resolves as soon as this process uses more than MEMORY_LIMIT_MB; never, while it does not. V8's own limit knows
 * nothing of buffers, and a compiled binary has none.
 */
export async function memoryExceeded(clock: Clock): Promise<void> {
  const limit = MEMORY_LIMIT_MB * 1024 * 1024;
  while (Deno.memoryUsage().rss <= limit) await clock.sleep(LOOK_MS);
}

/**
 * Resolves when this process computed on while it had nothing to do: a tool left a thread behind, which ends with the
 * process only. `rest` tells a rest from each other one, and is undefined while there is work.
 */
export async function unrestExceeded(clock: Clock, rest: () => number | undefined): Promise<void> {
  for (let unquiet = 0; unquiet < UNQUIET_RESTS;) {
    const [before, began] = [process.cpuUsage(), rest()];
    await clock.sleep(REST_MS);
    const { user, system } = process.cpuUsage(before);
    const isRest = began !== undefined && began === rest();
    unquiet = isRest && (user + system) / 1_000 > REST_MS * REST_SHARE ? unquiet + 1 : 0;
  }
}
