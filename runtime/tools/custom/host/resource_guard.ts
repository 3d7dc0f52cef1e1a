// Detects that this process uses too much memory, or uses the processor while no work is running.
import process from "node:process";
import type { Clock } from "../../../../base/clock.ts";

/** The limit for the whole memory of a host process in megabytes. V8's heap limit is lower. */
export const MEMORY_LIMIT_MB = 512;

const CHECK_MS = 50;
const IDLE_MS = 500;
/**
 * The share of one processor above which the process does not count as idle. Idle processes stay below it also on a busy
 * machine.
 */
const IDLE_SHARE = 0.15;
/** The number of consecutive periods in which an idle process may be busy. Cleaning up after a call takes some time. */
const MAX_BUSY_PERIODS = 4;
/**
 * The processor time in milliseconds that an idle process may use in all. On a busy machine an endless loop may get less
 * than IDLE_SHARE.
 */
const MAX_IDLE_WORK_MS = 1_500;

/**
 * Resolves when this process uses more than MEMORY_LIMIT_MB, else never. V8's heap limit does not include buffers, and a
 * compiled executable has none.
 */
export async function memoryExceeded(clock: Clock): Promise<void> {
  const limit = MEMORY_LIMIT_MB * 1024 * 1024;
  while (Deno.memoryUsage().rss <= limit) await clock.sleep(CHECK_MS);
}

/**
 * Resolves when this process has used the processor for several periods, or for a long time in all, without work. The
 * reason is a thread that a tool left behind, which ends only with the process. `rest` returns a number for the current
 * idle period, or undefined while work is running.
 */
export async function idleWorkExceeded(
  clock: Clock,
  rest: () => number | undefined,
): Promise<void> {
  for (let unquiet = 0, usedMs = 0; unquiet < MAX_BUSY_PERIODS && usedMs < MAX_IDLE_WORK_MS;) {
    const [before, began] = [process.cpuUsage(), rest()];
    await clock.sleep(IDLE_MS);
    const { user, system } = process.cpuUsage(before);
    const isRest = began !== undefined && began === rest();
    const ms = (user + system) / 1_000;
    unquiet = isRest && ms > IDLE_MS * IDLE_SHARE ? unquiet + 1 : 0;
    usedMs = isRest ? usedMs + ms : 0;
  }
}
