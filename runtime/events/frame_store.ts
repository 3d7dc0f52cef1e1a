// The reads of stored frames that the execution log needs.
import type { Frame } from "./frame.ts";

/** The state of an execution's log: running, waiting for a person, or ended. */
export type LogState = "open" | "waiting" | "ended";

/**
 * Reads frames. Frames are written in the transaction of the change that they record, so this port has no write method.
 */
export interface FrameStore {
  /**
   * Returns an execution's frames after `after`, in id order: at most `limit` frames and `maxBytes` of payload, but at
   * least one frame.
   */
  readFrames(
    executionId: number,
    page: { after: number; limit: number; maxBytes: number },
  ): Promise<Frame[]>;
  /** Returns the id of the newest frame, of one execution or of all; 0 without frames. */
  readNewestId(executionId?: number): Promise<number>;
  /** Returns undefined for an unknown execution. */
  readLogState(executionId: number): Promise<LogState | undefined>;
}
