// The error that an agent's tools are not available, so that no run can start.

/** Error: a custom tool does not load, a server does not answer, or a skill is missing. The message is safe to show. */
export class ToolsUnavailable extends Error {
  override readonly name = "ToolsUnavailable";
}
