// Performs requests to a chat app: repeats them after the pauses that the app asks for, and passes over final failures.
import { SECOND_MS } from "../../base/time_units.ts";
import type { Context } from "../../runtime/config/context.ts";
import { AppFailure } from "./chat_app.ts";

/** The longest wait for an app within one request, in milliseconds. A longer one is left to the caller. */
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** The number of attempts of one request while the app asks for pauses. */
const ATTEMPTS = 4;

/** Performs a request. Throws AppFailure, and the signal's reason on abort. */
export async function withPauses<T>(
  request: () => Promise<T>,
  { toFailure, clock, signal }: Pick<Context, "clock"> & {
    toFailure: (error: unknown) => AppFailure;
    signal: AbortSignal;
  },
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      const failure = toFailure(error);
      const { retryAfterMs } = failure;
      if (retryAfterMs === 0 || retryAfterMs > LONGEST_PAUSE_MS || attempt === ATTEMPTS) {
        throw failure;
      }
      await clock.sleep(retryAfterMs, signal);
    }
  }
}

/** Waits for a request that may be repeated after its effect, or whose message may be deleted. */
export async function unlessFinal(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof AppFailure) || !error.isFinal) throw error;
  }
}
