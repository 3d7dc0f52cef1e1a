// The error for tools of an agent that are unavailable, so that its run cannot start.

/**
 * Error: a custom tool does not load, an MCP server does not answer, or a skill is missing. The message may be shown to
 * users.
 */
export class ToolsUnavailable extends Error {
  override readonly name = "ToolsUnavailable";
}
