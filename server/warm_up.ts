// Loads the modules of all operations soon after the start, but after the first answer. Later loading is unsafe: without a
// free file descriptor Deno 2.9.6 ends the process, and an upgrade in place may have replaced the module's file.
import { sleepUnlessAborted } from "../base/bounded_wait.ts";
import type { Clock } from "../base/clock.ts";
import type { ServiceLog } from "../runtime/service_log/service_log.ts";
import { LAZY_OPERATIONS, loadOpenApi } from "../api/routes/operations.ts";

const AFTER_START_MS = 500;

/** Loads every operation and the API description. Resolves at once when `signal` aborts. */
export async function warmUp(
  { clock, log }: { clock: Clock; log: ServiceLog },
  signal: AbortSignal,
): Promise<void> {
  if (!await sleepUnlessAborted(clock, AFTER_START_MS, signal)) return;
  try {
    for (const place of LAZY_OPERATIONS) {
      if (signal.aborted) return;
      await place.load();
    }
    await loadOpenApi();
  } catch (error) {
    log.write("error", "Cannot load a module of the service", { error });
  }
}
