// Defines the parts of the prompt that tools supply: places, skills and the instructions of servers.

/** A place that an agent may reach: a folder with its content, or one file. */
export interface SandboxRoot {
  /**
   * The alias in tools and prompts, without braces. It is `workspace` for the workspace root, and null for a watched path.
   */
  alias: string | null;
  /** The absolute path, with symlinks resolved as far as the path exists. */
  path: string;
  /** The highest access to the place: `write` includes reading. */
  access: "read" | "write";
  description?: string;
}

/** The description of a skill. */
export interface SkillDescription {
  name: string;
  /** A hint about the skill's arguments, such as `[topic]`. */
  argumentHint?: string;
  description: string;
}

/** The instructions of an MCP server: its own words, as plain text without secrets, limited in length. */
export interface ServerInstructions {
  server: string;
  instructions: string;
}
