// A run as a person or a program asks for it, and the spec that it is.
import type { RunSpec } from "./acceptance.ts";
import { isStorable } from "../../../base/text/storable_text.ts";
import { SessionIdUnusable } from "../refusals.ts";

/** A run somebody asks for. */
export interface RunRequest {
  args?: string[];
  /** Replaces the user turn. */
  message?: string;
  /** Appended to the user turn. */
  context?: string;
  /** Describes what it would change, and changes nothing. */
  dryRun?: boolean;
  /** Makes it a chat turn of that conversation. Blank counts as absent; no NUL characters, no lone surrogates. */
  sessionId?: string;
  /** The same key within 24 hours returns the first execution; with another agent or request it is refused. */
  idempotencyKey?: string;
}

/** The spec of a request: a chat turn where it names a session, else a manual run. Throws SessionIdUnusable. */
export function toRunSpec(
  { args = [], message, context, dryRun, sessionId: session = "", idempotencyKey }: RunRequest,
): RunSpec {
  const sessionId = session.trim() === "" ? null : session;
  // Made storable, two conversations could become one.
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
