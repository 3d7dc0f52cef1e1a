// Finds the command in a question about the tool `shell`.
import type { PendingBody } from "../api/schemas/request_schemas.ts";

/**
 * Returns the command that an agent asks to run. "Always" allows such commands, and not the whole tool. Undefined for a
 * question about another tool.
 */
export function commandOf(
  { tool_name: tool, tool_args: { command }, is_guard: isGuard }: PendingBody,
): string | undefined {
  return tool === "shell" && isGuard && typeof command === "string" ? command : undefined;
}
