// A run as a person or a program asks for it, and the spec that it is.
import type { RunSpec } from "./acceptance.ts";
import { toStorable } from "./storable_text.ts";

/** A run somebody asks for. */
export interface RunRequest {
  args?: string[];
  /** Replaces the user turn. */
  message?: string;
  /** Appended to the user turn. */
  context?: string;
  /** Makes it a chat turn of that conversation. Blank counts as absent. */
  sessionId?: string;
  /** The same key within 24 hours returns the first execution; with another agent or request it is refused. */
  idempotencyKey?: string;
}

/** The spec behind a request: a turn of a chat where it names one, else a manual run. */
export function toRunSpec(
  { args = [], message, context, sessionId: session = "", idempotencyKey }: RunRequest,
): RunSpec {
  const sessionId = session.trim() === "" ? null : toStorable(session);
  return {
    trigger: sessionId === null ? "manual" : "chat",
    sessionId,
    request: {
      args,
      ...(message === undefined ? {} : { message }),
      ...(context === undefined ? {} : { context }),
    },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}
