// The interfaces between the readers of other tools' files, the plan of an import, and its writer.
import type { JsonObject, JsonValue } from "../../../base/json.ts";

/** A file of another tool. */
export interface ForeignFile {
  /** The path relative to the import's source, with slashes. */
  path: string;
  text: string;
  /** The fields of a file of data, or of the front matter. Undefined if there are none. */
  fields: JsonObject | undefined;
  /** The text below the front matter. */
  body: string;
}

/** A part of a file that Inkling writes in another way. */
export interface Change {
  what: string;
  becomes: string;
}

/** A part of a file that is not imported. */
export interface Loss {
  what: string;
  why: string;
}

/** The settings that give a permission, which only a yes of their own writes, each with its value of `--allow`. */
export const GRANTS = {
  shell: "shell",
  auto_approve: "auto_approve",
  paths: "paths",
  mcp: "servers",
  skills: "scripts",
} as const;

/** A kind of permission: a value of `--allow`. */
export type GrantKind = typeof GRANTS[keyof typeof GRANTS];

/** A setting that gives an agent a permission. It is written only after a yes of its own. */
export interface Grant {
  setting: keyof typeof GRANTS;
  value: JsonValue;
  why: string;
}

/** The names in a file that have a meaning only together with the workspace and the other files. */
export interface Wants {
  /** The models by the other tool's names. The first usable one is taken. */
  models: string[];
  /** The agents to call, by their names in the files. `*` stands for all others. */
  agents: string[];
  /** The tools of MCP servers as `server/tool`, or a server's name for all its tools. */
  mcp: string[];
  skills: string[];
  /** True if the agent searches the web, which needs a search service. */
  search: boolean;
}

/** An agent as a reader understood it. */
export interface ImportedAgent {
  /** The wished id. The plan makes it unique. */
  id: string;
  /** True for a text that a person calls with arguments, such as a slash command. Other agents do not call it. */
  isCommand: boolean;
  /** The fields of our front matter that give no permission. */
  settings: JsonObject;
  /** The text below the front matter. */
  body: string;
  changes: Change[];
  losses: Loss[];
  grants: Grant[];
  wants: Wants;
  /** The entries of MCP servers that the file itself contains. */
  servers: JsonObject;
  /** The line of a crontab that the agent replaces. */
  replaces?: string;
}

/** The result of reading one file. */
export interface Reading {
  agents: ImportedAgent[];
  /** The parts of the file that are no agents. */
  left?: Loss[];
}

/** A format of another tool. */
export interface Shape {
  /** The name with its article, such as `a subagent of Claude Code`. */
  name: string;
  /** The files with instructions that the tool adds to each text. The first one that exists is taken. */
  context: readonly string[];
  /** Returns true if the file has this shape. */
  fits(file: ForeignFile): boolean;
  read(file: ForeignFile): Reading;
}
