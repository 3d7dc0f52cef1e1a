// Checks that a person has signed in to a remote MCP server. Loaded at the first approval of a sign-in.
import { AnswerMisfit } from "../human_request.ts";
import type { CredentialStore } from "../../tools/mcp/sign_in/credentials.ts";
import { commandOf, isSignInError } from "../../tools/mcp/sign_in/sign_in_needed.ts";

/** Throws AnswerMisfit if no tokens of the server are stored, or if they cannot be read. */
export async function requireSignIn(server: string, store: CredentialStore): Promise<void> {
  try {
    if ((await store.read(server))?.tokens !== undefined) return;
  } catch (error) {
    throw isSignInError(error) ? new AnswerMisfit(`${server}: ${error.message}`) : error;
  }
  // An approval would only ask again.
  throw new AnswerMisfit(
    `Only a sign-in continues this run: ${commandOf("login", server)}. A denial gives up`,
  );
}
