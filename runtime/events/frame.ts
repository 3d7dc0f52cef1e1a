// Creates the frames of an execution's log. A frame's payload is serialized once: the same string is stored and streamed.
import { toTimestamp } from "../../base/clock.ts";
import type { Redactor } from "../secrets/redactor.ts";

/** The event names of stored frames in an event stream (SSE). */
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

/** The event name of a stored frame in an event stream. */
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

/** The kind of a frame. */
export type EventType = typeof EVENT_TYPES[number];

/** A stored frame. `payload` is one line of JSON, sent as it is. */
export interface Frame {
  /** The frame's id. Ids increase in the whole database and are never reused. */
  id: number;
  executionId: number;
  event: FrameEvent;
  payload: string;
}

/** A frame to store. Only createFrame() and copyFrame() create drafts, so that every frame is redacted. */
export type FrameDraft = Pick<Frame, "event" | "payload">;

/** The fields that identify the execution in every payload. */
export interface FrameIdentity {
  executionId: number;
  agentId: string;
  displayName: string;
}

/** The content of a frame without the identity fields. */
export interface FrameContent {
  event: FrameEvent;
  eventType: EventType;
  /** The text that the log shows. */
  message: string;
  /** Further fields of the payload. */
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

/** Copies a frame to the log of another execution. The copy keeps the timestamp. */
export function copyFrame(
  identity: FrameIdentity,
  { event, payload }: FrameDraft,
  { redactor }: { redactor: Redactor },
): FrameDraft {
  const copied = { ...JSON.parse(payload), ...identityFields(identity) };
  return { event, payload: toDataLine(JSON.stringify(redactor.redactValue(copied))) };
}

/**
 * Escapes a JSON text so that it is one `data:` line of an event stream. Some readers, such as Python's `str.splitlines()`,
 * end a line at U+0085, U+2028 and U+2029. The JSON value stays the same.
 */
export function toDataLine(json: string): string {
  return json.replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the identity fields as the API names them. `agent_name` is an alias of the id for older clients. */
export function identityFields(identity: FrameIdentity): Record<string, string | number> {
  return {
    execution_id: identity.executionId,
    agent_id: identity.agentId,
    display_name: identity.displayName,
    agent_name: identity.agentId,
  };
}
