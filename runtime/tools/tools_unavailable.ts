// The tools of an agent are not available: no run of it can begin.

/** A custom tool that does not load, a server that does not answer, a skill that is missing. The message is safe to show. */
export class ToolsUnavailable extends Error {
  override readonly name = "ToolsUnavailable";
}
