// Describes questions that wait for a sign-in to an MCP server.
import type { PendingBody } from "../api/schemas/request_schemas.ts";

type Question = Pick<PendingBody, "tool_name" | "tool_args" | "request_id">;

/** Returns the server's name, or undefined if the question is about something else. */
export function signInServerOf(
  { tool_name: tool, tool_args: args }: Pick<Question, "tool_name" | "tool_args">,
): string | undefined {
  return tool === "sign_in" && typeof args["server"] === "string" ? args["server"] : undefined;
}

/** Returns the key under which lists show a question once: runs that wait for the same sign-in have the same key. */
export function questionKey(question: Question): string {
  const server = signInServerOf(question);
  return server === undefined ? question.request_id : `sign_in ${server}`;
}

/** Returns the number of runs that wait for the answer as words, or undefined for a single run. */
export function describeWaitingRuns({ waiting_runs: count }: PendingBody): string | undefined {
  return count > 1 ? `${count} runs wait for this` : undefined;
}
