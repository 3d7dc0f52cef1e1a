// Defines the requests for runs from people and programs, and converts them to run specs.
import type { RunSpec } from "./acceptance.ts";
import { isStorable } from "../../../base/text/storable_text.ts";
import { SessionIdUnusable } from "../refusals.ts";

/** A run requested by a person or a program. */
export interface RunRequest {
  args?: string[];
  /** The message that replaces the agent's own user turn. */
  message?: string;
  /** A text that is appended to the user turn. */
  context?: string;
  /** True for a dry run, which describes changes instead of making them. */
  dryRun?: boolean;
  /** The conversation of a chat turn. A blank id counts as absent. NUL characters and lone surrogates are refused. */
  sessionId?: string;
  /**
   * The idempotency key. An equal request with the same key within 24 hours returns the first execution. A different
   * request is refused.
   */
  idempotencyKey?: string;
}

/**
 * Converts a request to a run spec: a chat turn if the request has a session id, else a manual run. Throws
 * SessionIdUnusable.
 */
export function toRunSpec(
  { args = [], message, context, dryRun, sessionId: session = "", idempotencyKey }: RunRequest,
): RunSpec {
  const sessionId = session.trim() === "" ? null : session;
  // The id is refused and not sanitized, because two ids could become equal and merge two conversations.
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
