// Checks the cursor of a follower that reconnects.
import type { FrameStore } from "./frame_store.ts";

/**
 * Returns the cursor at which a follower starts. A cursor beyond the newest frame is possible after a backup was restored.
 * A follower with such a cursor starts at the newest frame, or before the last frame of an execution that has ended.
 */
export async function resolveCursor(
  after: number,
  { executionId, frames }: {
    executionId: number;
    frames: Pick<FrameStore, "readNewestId" | "readLogState">;
  },
): Promise<number> {
  if (after === 0) return 0;
  const newest = await frames.readNewestId();
  if (after <= newest) return after;
  if (await frames.readLogState(executionId) !== "ended") return newest;
  return await frames.readNewestId(executionId) - 1;
}
