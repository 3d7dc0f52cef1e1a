// How long to wait before a server is started again: not at all the first time, then longer and longer.
import { backoffMs } from "../../../base/backoff.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** A session that lasted this long was healthy: the count starts again. */
const HEALTHY_MS = 60_000;

/** Counts the ends of one server. */
export class RestartBackoff {
  #ends = 0;
  #notBefore = 0;

  /** Counts an end at `now`; of a session that began at `startedAt`, or of an attempt that never became one (undefined). */
  ended(now: number, startedAt?: number): void {
    if (startedAt !== undefined && now - startedAt >= HEALTHY_MS) this.#ends = 0;
    this.#ends++;
    const again = this.#ends - 1;
    const delay = again === 0 ? 0 : backoffMs(again, { firstMs: FIRST_MS, longestMs: LONGEST_MS });
    this.#notBefore = now + delay;
  }

  /** Milliseconds until the next start is due. */
  remaining(now: number): number {
    // Bounded on both sides: a clock that was set must not stop a server for hours.
    return Math.min(LONGEST_MS, Math.max(0, this.#notBefore - now));
  }
}
