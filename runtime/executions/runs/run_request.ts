// Requests for runs from people and programs, and their conversion to specs.
import type { RunSpec } from "./acceptance.ts";
import { isStorable } from "../../../base/text/storable_text.ts";
import { SessionIdUnusable } from "../refusals.ts";

/** A run requested by a person or a program. */
export interface RunRequest {
  args?: string[];
  /** Replaces the user turn. */
  message?: string;
  /** Appended to the user turn. */
  context?: string;
  /** Describes changes instead of making them. */
  dryRun?: boolean;
  /** The conversation of a chat turn. A blank id counts as absent. NUL characters and lone surrogates are refused. */
  sessionId?: string;
  /** The same key within 24 hours returns the first execution. It is refused with another agent or request. */
  idempotencyKey?: string;
}

/** Converts a request to a spec: a chat turn if it has a session id, else a manual run. Throws SessionIdUnusable. */
export function toRunSpec(
  { args = [], message, context, dryRun, sessionId: session = "", idempotencyKey }: RunRequest,
): RunSpec {
  const sessionId = session.trim() === "" ? null : session;
  // Sanitizing the id instead could merge two conversations.
  if (sessionId !== null && !isStorable(sessionId)) throw new SessionIdUnusable();
  return {
    trigger: sessionId === null ? "manual" : "chat",
    sessionId,
    request: {
      args,
      ...(message === undefined ? {} : { message }),
      ...(context === undefined ? {} : { context }),
      ...(dryRun && { dryRun }),
    },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}
