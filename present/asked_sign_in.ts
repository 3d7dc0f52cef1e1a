// Finds the MCP server of a question that waits for a sign-in.
import type { PendingBody } from "../api/schemas/request_schemas.ts";

/** Returns the server's name, or undefined if the question is about something else. */
export function signInServerOf(
  { tool_name: tool, tool_args: args }: Pick<PendingBody, "tool_name" | "tool_args">,
): string | undefined {
  const { server } = args;
  return tool === "sign_in" && typeof server === "string" ? server : undefined;
}
