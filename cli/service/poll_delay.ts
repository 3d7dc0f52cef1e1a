// How long to wait before looking again whether a service has started, or gone.

/** Between two looks: short at first, for a quick start must not wait, then ever longer. */
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 500;

/** Milliseconds until the next look, after so many of waiting. */
export function pollDelay(elapsedMs: number): number {
  return Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, elapsedMs / 5));
}
