// Detects that this process uses too much memory.
import type { Clock } from "../../../../base/clock.ts";

/** The limit for the whole memory of a host process in megabytes. V8's heap limit is lower. */
export const MEMORY_LIMIT_MB = 512;

const CHECK_MS = 50;

/**
 * Resolves when this process uses more than MEMORY_LIMIT_MB, else never. V8's heap limit does not include buffers, and a
 * compiled executable has none.
 */
export async function memoryExceeded(clock: Clock): Promise<void> {
  const limit = MEMORY_LIMIT_MB * 1024 * 1024;
  while (Deno.memoryUsage().rss <= limit) await clock.sleep(CHECK_MS);
}
