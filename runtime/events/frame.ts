// One entry of an execution's log. Its payload is serialized once: the same string is stored, streamed and replayed.
import { toTimestamp } from "../../base/clock.ts";
import type { Redactor } from "../secrets/redactor.ts";

/** SSE event names of stored frames. */
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

/** One of FRAME_EVENTS. */
export type FrameEvent = typeof FRAME_EVENTS[number];

/** The kinds of frames, as `event_type` in their payloads. */
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

/** One of EVENT_TYPES. */
export type EventType = typeof EVENT_TYPES[number];

/** A stored frame. `payload` is one line of JSON, sent as it is. */
export interface Frame {
  /** Strictly increasing in the whole database; never reused. */
  id: number;
  executionId: number;
  event: FrameEvent;
  payload: string;
}

/** A frame to be stored. Only createFrame and copyFrame make one, so that every frame is redacted. */
export interface FrameDraft {
  event: FrameEvent;
  payload: string;
}

/** The identity fields of every payload. */
export interface FrameIdentity {
  executionId: number;
  agentId: string;
  displayName: string;
}

/** The content of one frame, besides its identity. */
export interface FrameContent {
  event: FrameEvent;
  eventType: EventType;
  /** The text of the log row. */
  message: string;
  /** Further payload fields. */
  fields?: Readonly<Record<string, unknown>>;
}

/** Serializes and redacts a frame: identity, timestamp, text and further fields as one line of JSON. */
export function createFrame(
  identity: FrameIdentity,
  content: FrameContent,
  options: { redactor: Redactor; at: number },
): FrameDraft {
  const payload = {
    event_type: content.eventType,
    ...identityFields(identity),
    timestamp: toTimestamp(options.at),
    ...options.redactor.redactValue({ message: content.message, ...content.fields }),
  };
  return { event: content.event, payload: toDataLine(JSON.stringify(payload)) };
}

/** Copies a frame into the log of another execution. Its timestamp stays. */
export function copyFrame(
  identity: FrameIdentity,
  { event, payload }: Pick<Frame, "event" | "payload">,
  { redactor }: { redactor: Redactor },
): FrameDraft {
  const copied = { ...JSON.parse(payload), ...identityFields(identity) };
  return { event, payload: toDataLine(JSON.stringify(redactor.redactValue(copied))) };
}

/**
 * Escapes JSON text so that it is one `data:` line of an event stream. Some readers end a line at U+0085, U+2028 and
 * U+2029, such as Python's `str.splitlines()`. The value stays the same.
 */
export function toDataLine(json: string): string {
  return json.replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The identity fields, as the API spells them. `agent_name` is an alias of the id for older clients. */
export function identityFields(identity: FrameIdentity): Record<string, string | number> {
  return {
    execution_id: identity.executionId,
    agent_id: identity.agentId,
    display_name: identity.displayName,
    agent_name: identity.agentId,
  };
}
