// The port to stored frames: what a follower of the log needs of a store.
import type { Frame } from "./frame.ts";

/** Whether more frames may come: an execution runs, waits for a person, or has ended. */
export type LogState = "open" | "waiting" | "ended";

/** Reads frames. Writing them is part of the change they belong to, so it has no method here. */
export interface FrameStore {
  /**
   * Frames of an execution after `after`, in id order: at most `limit`, and their payloads no more than
   * `maxBytes` together (but at least one frame).
   */
  readFrames(
    executionId: number,
    page: { after: number; limit: number; maxBytes: number },
  ): Promise<Frame[]>;
  /** The id of the newest frame, of one execution or of all; 0 when there is none. */
  readNewestId(executionId?: number): Promise<number>;
  /** Undefined for an unknown execution. */
  readLogState(executionId: number): Promise<LogState | undefined>;
}
