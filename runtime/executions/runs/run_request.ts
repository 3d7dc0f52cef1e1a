// Defines the requests for runs from people and programs, and converts them to run specs.
import type { BroughtMark, BroughtMessages } from "../execution_request.ts";
import type { RunSpec } from "./acceptance.ts";
import { sha256Of } from "../../../base/sha256.ts";
import { isStorable } from "../../../base/text/storable_text.ts";
import { SessionIdUnusable } from "../refusals.ts";
import type { Caller } from "../../vocabulary/callers.ts";

/** A run requested by a person or a program. */
export interface RunRequest extends BroughtMessages {
  args?: string[];
  /** The message that replaces the agent's own user turn. */
  message?: string;
  /** A text that is appended to the user turn. */
  context?: string;
  /** The absolute path of the folder that is open in the editor, for `editorPaths` of the agent. */
  editorFolder?: string;
  /** True for a dry run, which describes changes instead of making them. */
  dryRun?: boolean;
  /** The text of an agent file to try instead of the agent's file. The run then joins no conversation. */
  agentText?: string;
  /**
   * The conversation of a chat turn. A blank id counts as absent. NUL characters and lone surrogates are refused. With a
   * history of its own, the run has the id as a label and joins no conversation.
   */
  sessionId?: string;
  /** The number of executions above this one. Set if an agent sends the request, from here or from another Inkling. */
  depth?: number;
  /**
   * The idempotency key. An equal request with the same key within 24 hours returns the first execution. A different
   * request is refused.
   */
  idempotencyKey?: string;
  /** The sender, for the audit. Absent if nobody requests the run. */
  by?: Caller;
}

/**
 * Converts a request to a run spec: a chat turn if the request has a session id, else a manual run. Throws
 * SessionIdUnusable.
 */
export async function toRunSpec(
  {
    args = [],
    message,
    context,
    dryRun,
    editorFolder,
    agentText,
    sessionId: session = "",
    depth,
    idempotencyKey,
    by: _by,
    ...messages
  }: RunRequest,
): Promise<RunSpec> {
  const isAlone = agentText !== undefined && messages.continues === undefined;
  const rest = isAlone ? { history: [], ...messages } : messages;
  const brought = await markOf(rest);
  const sessionId = session.trim() === "" ? null : session;
  // The id is refused and not sanitized, because two ids could become equal and merge two conversations.
  if (sessionId !== null && !isStorable(sessionId)) throw new SessionIdUnusable();
  return {
    trigger: sessionId === null || brought?.isHistory ? "manual" : "chat",
    sessionId,
    ...(brought && { brought: rest }),
    request: {
      args,
      ...(message === undefined ? {} : { message }),
      ...(context === undefined ? {} : { context }),
      ...(dryRun && { dryRun }),
      ...(editorFolder === undefined ? {} : { editorFolder }),
      ...(brought && { brought }),
      ...(agentText === undefined ? {} : { trial: { agentText } }),
    },
    ...(depth === undefined ? {} : { depth }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

/** Returns the mark of the messages, or undefined if there are none. */
async function markOf(
  { history, continues, pictures = [] }: BroughtMessages,
): Promise<BroughtMark | undefined> {
  const isHistory = history !== undefined || continues !== undefined;
  if (!isHistory && pictures.length === 0) return undefined;
  const text = JSON.stringify([history, continues, pictures]);
  const digest = await sha256Of(text);
  return { digest, ...(isHistory && { isHistory }) };
}
