// One entry of an execution's log. The payload is serialised once; that string is stored and sent, live and on replay.

/** SSE event names of frames that are stored. */
export const FRAME_EVENTS = [
  "meta",
  "message",
  "ai",
  "tool_call",
  "tool_result",
  "interrupt",
  "final_answer",
  "complete",
] as const;
export type FrameEvent = typeof FRAME_EVENTS[number];

export const EVENT_TYPES = [
  "execution_info",
  "system",
  "human",
  "ai",
  "tool_call",
  "tool_result",
  "stats",
  "meta",
  "interrupt",
  "final_answer",
  "complete",
] as const;
export type EventType = typeof EVENT_TYPES[number];

/** A frame as stored: `payload` is the one line of JSON that goes out. */
export interface Frame {
  /** Strictly increasing over the whole database; never reused. */
  id: number;
  executionId: number;
  event: FrameEvent;
  payload: string;
}
