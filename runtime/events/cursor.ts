// Where a follower that comes back begins.
import type { FrameStore } from "./frame_store.ts";

/**
 * The cursor to follow an execution from. One that this database never gave (a backup was restored since) is replaced: the
 * follower gets what comes next, or the last frame where the execution has ended.
 */
export async function toKnownCursor(
  after: number,
  { executionId, frames }: {
    executionId: number;
    frames: Pick<FrameStore, "readNewestId" | "readLogState">;
  },
): Promise<number> {
  const newest = await frames.readNewestId();
  if (after <= newest) return after;
  if (await frames.readLogState(executionId) !== "ended") return newest;
  return await frames.readNewestId(executionId) - 1;
}
