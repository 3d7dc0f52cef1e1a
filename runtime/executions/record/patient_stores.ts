// Retries failed writes of a run, so that a full disk or a locked database does not lose the run's work.
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { RuntimeError } from "../../../base/errors.ts";
import type { Context } from "../../config/context.ts";
import type { JournalStores } from "./journal_ports.ts";

const STORED = "Stored after all; the execution continues";
const WAITS = { firstMs: 500, longestMs: 15_000 };

/**
 * Returns true for a method that is retried after a failure: it stores a run's work, such as a paid reply. A person who
 * answers gets the error at once and may try again.
 */
function isTriedAgain(method: string): boolean {
  return !method.startsWith("read") && method !== "answerRequest";
}

/** The options of retried writes. */
export interface RetryOptions extends Pick<Context, "clock" | "log"> {
  /** The signal that ends the retries. After an abort, one last attempt is made. */
  signal: AbortSignal;
  /** The id of the execution for the service log. */
  execution: number;
}

/** Wraps stores so that a run's writes are retried while the storage fails. */
export function createRetryingStores(
  { conversations, requests, families, endings }: JournalStores,
  patience: RetryOptions,
): JournalStores {
  return {
    conversations: patient(conversations, patience),
    requests: patient(requests, patience),
    families: patient(families, patience),
    endings: patient(endings, patience),
  };
}

function patient<Store extends object>(store: Store, patience: RetryOptions): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (!isTriedAgain(String(name))) return member.bind(target);
      return (...args: unknown[]) =>
        retryUntilStored(() => Reflect.apply(member, target, args), patience, STORED);
    },
  });
}

/**
 * Calls `store` until it succeeds, and returns its result. Logs `message` if that took more than one attempt. Rethrows any
 * error other than a storage error at once. Rethrows a storage error if the signal had aborted before the attempt.
 */
export async function retryUntilStored<T>(
  store: () => Promise<T>,
  patience: RetryOptions,
  message?: string,
): Promise<T> {
  const { clock, log, signal, execution } = patience;
  for (let failures = 0;;) {
    const isLast = signal.aborted;
    try {
      const stored = await store();
      if (failures > 0 && message !== undefined) log.write("info", message, { execution });
      return stored;
    } catch (error) {
      if (isLast || !(error instanceof RuntimeError && error.code === "storage")) throw error;
      failures++;
      if (failures === 1) {
        log.write("warn", `An execution waits: ${error.message}`, { execution });
      }
    }
    // After an abort, the last attempt is made without a delay.
    await sleepUnlessAborted(clock, backoffMs(failures, WAITS), signal);
  }
}
