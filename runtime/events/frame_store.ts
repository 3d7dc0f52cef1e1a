// The store interface for reading frames, which the execution log needs.
import type { Frame, FrameEvent, FrameIdentity } from "./frame.ts";

/** The state of an execution's log: running, waiting for a person, or ended. */
export type LogState = "open" | "waiting" | "ended";

/** The execution of a log, the log's state, and the position of a follower's cursor in the log. */
export interface LogHead extends FrameIdentity {
  state: LogState;
  /** The event of the frame at the cursor. Null if the execution has no such frame. */
  event: FrameEvent | null;
  /** The id of the execution's newest frame. 0 if there is none. */
  lastId: number;
  /** The id of the newest frame of all executions. 0 if there is none. */
  newestId: number;
}

/** The frames that one commit stored, and the state of the log after it. */
export interface StoredFrames {
  /** The frames in the order of their ids. Empty if only the state changed. */
  frames: readonly Frame[];
  state: LogState;
}

/** The frames after a position in an execution's log. */
export interface FramePage {
  frames: Frame[];
  /** True if no later frame was stored at the time of the read. May be false for a page with `limit` frames. */
  isEnd: boolean;
}

/** Reads frames. There is no method that writes: a frame is stored in the transaction of the change that it records. */
export interface FrameStore {
  /**
   * Returns an execution's frames with an id above `after`, sorted by id: at most `limit` frames and `maxBytes` of payload,
   * but at least one frame.
   */
  readFrames(
    executionId: number,
    page: { after: number; limit: number; maxBytes: number },
  ): Promise<FramePage>;
  /** Returns the head of an execution's log for a follower with this cursor, or undefined for an unknown execution. */
  readHead(executionId: number, cursor: number): Promise<LogHead | undefined>;
  /** Returns the state of an execution's log, or undefined for an unknown execution. */
  readLogState(executionId: number): Promise<LogState | undefined>;
  /** Calls the listener after each commit of this process that changes a log. */
  onStored(listener: (executionId: number, stored: StoredFrames) => void): void;
}
