// Checks the cursor of a follower that reconnects.
import type { LogHead } from "./frame_store.ts";

/**
 * Returns the cursor at which a follower starts. A cursor beyond the newest frame is possible after a backup was restored.
 * A follower with such a cursor starts at the newest frame, or before the last frame of an execution that has ended.
 */
export function resolveCursor(
  after: number,
  { state, lastId, newestId }: Pick<LogHead, "state" | "lastId" | "newestId">,
): number {
  if (after <= newestId) return after;
  return state === "ended" ? lastId - 1 : newestId;
}
