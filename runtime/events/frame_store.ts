// The reads of stored frames that the execution log needs.
import type { Frame } from "./frame.ts";

/** The state of an execution's log: running, waiting for a person, or ended. */
export type LogState = "open" | "waiting" | "ended";

/** The frames that one commit stored, and the state of the log after it. */
export interface StoredFrames {
  executionId: number;
  /** In order. Empty if only the state changed. */
  frames: readonly Frame[];
  state: LogState;
}

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
  /** Calls the listener after each commit of this process that changes a log. */
  onStored(listener: (stored: StoredFrames) => void): void;
}
