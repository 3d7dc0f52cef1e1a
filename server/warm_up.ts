// What requests need, loaded soon after the start: until then it would only keep the first answer waiting. Later it must not
// be: a module that is loaded late needs a free file descriptor (Deno 2.9.6 ends the process where there is none) and its
// file as it was when the program began, which an upgrade in place replaces.
import { sleepUnlessAborted } from "../base/bounded_wait.ts";
import type { Clock } from "../base/clock.ts";
import type { ServiceLog } from "../runtime/service_log/service_log.ts";
import { loadOpenApi, OPERATION_PLACES } from "../api/operations/operations.ts";

const AFTER_START_MS = 500;

/** Loads every operation and the API's description. Resolves at once when `signal` says that the service stops. */
export async function warmUp(
  { clock, log }: { clock: Clock; log: ServiceLog },
  signal: AbortSignal,
): Promise<void> {
  if (!await sleepUnlessAborted(clock, AFTER_START_MS, signal)) return;
  try {
    for (const place of OPERATION_PLACES) {
      if (signal.aborted) return;
      await place.open();
    }
    await loadOpenApi();
  } catch (error) {
    log.write("error", "A part of the service cannot be loaded", { error });
  }
}
