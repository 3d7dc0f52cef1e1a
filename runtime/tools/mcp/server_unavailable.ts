// Defines the errors of a session that is unavailable, and converts them to those of a run: a run can wait for a sign-in, but
// not for another problem. They are not in session.ts, which is loaded only when a session is opened.
import { SignInRequired } from "../failures/sign_in_required.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { ToolsUnavailable } from "../failures/tools_unavailable.ts";
import { findSignInNeeded } from "./sign_in/sign_in_needed.ts";

/** Error: the connection to a server failed or was lost. The message consists of whole sentences without secrets. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

/** Error: the session has ended and the server did not receive the call. The caller may open another session at once. */
export class SessionExpired extends Error {
  override readonly name = "SessionExpired";
}

/** Returns the error for servers that could not be opened. `problems` has the error of each one. */
export function toUnavailable(message: string, problems: readonly unknown[]): ToolsUnavailable {
  const [cause] = problems;
  const [first, ...others] = problems.map(findSignInNeeded);
  // With another problem, the run would fail after the sign-in, too.
  return first === undefined || others.includes(undefined)
    ? new ToolsUnavailable(message, { cause })
    : new SignInRequired(message, { server: first.server, cause });
}

/**
 * Returns the error of a failed call: a SignInRequired if the server refused the call for lack of a sign-in, and a
 * ToolFailure if the server cannot be used.
 */
export function toFailedCall(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const needed = findSignInNeeded(error);
  if (needed !== undefined) {
    return new SignInRequired(error.message, { server: needed.server, cause: error });
  }
  return error instanceof ServerUnavailable || error instanceof ToolsUnavailable
    ? new ToolFailure(error.message, { cause: error })
    : error;
}
