// Storing what must not be lost while nothing can be stored: a full disk, or a database that another program holds.
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import type { ServiceLog } from "../service_log.ts";
import type { Execution } from "./execution.ts";

const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** How long somebody keeps trying. */
export interface Patience {
  clock: Clock;
  serviceLog: ServiceLog;
  /** Aborts: one more try, then it is given up. */
  signal: AbortSignal;
  /** Whose change it is, for the log. */
  execution: Execution;
}

/**
 * Does `store`, again and again while it is refused for want of storage, and returns what it returns. Throws what else
 * goes wrong, and the last refusal once the signal has aborted.
 */
export async function untilStored<T>(store: () => Promise<T>, patience: Patience): Promise<T> {
  const { clock, serviceLog: log, signal, execution: { id: execution } } = patience;
  for (let waitMs = SHORTEST_WAIT_MS;; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const isLast = signal.aborted;
    try {
      const stored = await store();
      if (waitMs > SHORTEST_WAIT_MS) log.write("info", "Stored after all", { execution });
      return stored;
    } catch (error) {
      if (isLast || !(error instanceof RuntimeError && error.code === "storage")) throw error;
      if (waitMs === SHORTEST_WAIT_MS) {
        log.write("warn", `The end of an execution waits to be stored: ${error.message}`, {
          execution,
        });
      }
    }
    await clock.sleep(waitMs, signal).catch(() => {/* The last try follows. */});
  }
}
