// One entry of an execution's log. The payload is serialised once; that string is stored and sent, live and on replay.
import { toTimestamp } from "../../base/clock.ts";
import type { Redactor } from "../secrets/redactor.ts";

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

/** One of FRAME_EVENTS. */
export type FrameEvent = typeof FRAME_EVENTS[number];

/** What kinds of frames there are, as `event_type` in their payloads. */
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

/** A frame as stored: `payload` is the one line of JSON that goes out. */
export interface Frame {
  /** Strictly increasing over the whole database; never reused. */
  id: number;
  executionId: number;
  event: FrameEvent;
  payload: string;
}

/** A frame about to be stored. Only createFrame and copyFrame make one, so that each has passed the redaction. */
export interface FrameDraft {
  event: FrameEvent;
  payload: string;
}

/** Whose frame it is: the identity fields of every payload. */
export interface FrameIdentity {
  executionId: number;
  agentId: string;
  displayName: string;
}

/** What is particular to a frame. */
export interface FrameContent {
  event: FrameEvent;
  eventType: EventType;
  /** The text of the log row. */
  message: string;
  /** Further payload fields. */
  fields?: Readonly<Record<string, unknown>>;
}

/**
 * Serialises a frame, once and for all: identity, timestamp, text and further fields as one line of JSON, in which no
 * secret is left.
 */
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

/** The same entry for the log of another execution; its time stays. */
export function copyFrame(
  identity: FrameIdentity,
  { event, payload }: Pick<Frame, "event" | "payload">,
  { redactor }: { redactor: Redactor },
): FrameDraft {
  const copied = { ...JSON.parse(payload), ...identityFields(identity) };
  return { event, payload: toDataLine(JSON.stringify(redactor.redactValue(copied))) };
}

/**
 * JSON text as one `data:` line of an event stream: also for readers that end a line at U+0085, U+2028 and U+2029, as
 * Python's `str.splitlines()` does. It parses to the same value.
 */
export function toDataLine(json: string): string {
  return json.replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The identity fields as the wire names them. `agent_name` is the id: an alias that older clients read. */
export function identityFields(identity: FrameIdentity): Record<string, string | number> {
  return {
    execution_id: identity.executionId,
    agent_id: identity.agentId,
    display_name: identity.displayName,
    agent_name: identity.agentId,
  };
}
