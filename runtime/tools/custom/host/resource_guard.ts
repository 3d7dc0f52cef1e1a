// Detects a process that uses too much memory, or that still computes when no result is awaited.
import process from "node:process";
import type { Clock } from "../../../../base/clock.ts";

/** The memory limit of a process with a tool, everything included. V8's heap limit is lower. */
export const MEMORY_LIMIT_MB = 512;

const CHECK_MS = 50;
const IDLE_MS = 500;
/** The share of one processor above which the process does not count as idle, even on a busy machine. */
const IDLE_SHARE = 0.15;
/** In a row, because cleaning up after a call takes a moment. */
const MAX_BUSY_PERIODS = 4;

/**
 * Resolves as soon as this process uses more than MEMORY_LIMIT_MB, otherwise never. V8's own limit ignores buffers, and a
 * compiled binary has none.
 */
export async function memoryExceeded(clock: Clock): Promise<void> {
  const limit = MEMORY_LIMIT_MB * 1024 * 1024;
  while (Deno.memoryUsage().rss <= limit) await clock.sleep(CHECK_MS);
}

/**
 * Resolves when this process kept computing without work: a tool left a thread behind, which ends only with the process.
 * `rest` identifies the current idle period, and returns undefined while there is work.
 */
export async function idleWorkExceeded(
  clock: Clock,
  rest: () => number | undefined,
): Promise<void> {
  for (let unquiet = 0; unquiet < MAX_BUSY_PERIODS;) {
    const [before, began] = [process.cpuUsage(), rest()];
    await clock.sleep(IDLE_MS);
    const { user, system } = process.cpuUsage(before);
    const isRest = began !== undefined && began === rest();
    unquiet = isRest && (user + system) / 1_000 > IDLE_MS * IDLE_SHARE ? unquiet + 1 : 0;
  }
}
