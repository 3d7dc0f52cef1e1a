// The table of the built-in tools: the facts that guards, the setup, editors, chats and the page need. The tools are in
// runtime/tools.

/** The facts about a built-in tool. */
export interface BuiltinTool {
  /** The kind of its calls, in the words of the Agent Client Protocol. `edit`, `delete` and `move` change files. */
  kind: "read" | "edit" | "delete" | "move" | "search" | "fetch" | "execute" | "other";
  /** The field of an agent's file that gives an agent the tool. Absent: every agent has it. */
  field?: "agents" | "mail" | "shell" | "skills" | "tools";
  /** True if calls require approval by default (`defaults.confirm_tools`). */
  isGuarded?: true;
  /** The argument with the path of the file that a call writes. */
  writtenPath?: string;
  /** True if some calls write a file, see ActionTool.writesFile. The guards of file_write apply to them. */
  mayWriteFile?: true;
  /**
   * True if the tool gives up its name to a custom tool or a server's tool. Agents had such tools before this built-in tool
   * existed.
   */
  yields?: true;
}

/** The built-in tools by name. */
const BUILTIN_TOOLS = {
  file_read: { kind: "read" },
  file_write: { kind: "edit", isGuarded: true, writtenPath: "path" },
  file_edit: { kind: "edit", writtenPath: "path" },
  file_delete: { kind: "delete", isGuarded: true },
  file_move: { kind: "move", writtenPath: "destination" },
  file_glob: { kind: "search" },
  file_search: { kind: "search", yields: true },
  http_request: { kind: "fetch", mayWriteFile: true, writtenPath: "save_to" },
  web_search: { kind: "fetch", field: "tools", yields: true },
  memory_save: { kind: "other" },
  memory_append: { kind: "other" },
  memory_retrieve: { kind: "other" },
  ask_user: { kind: "other" },
  wait: { kind: "other", yields: true },
  run_agent: { kind: "other", field: "agents" },
  shell: { kind: "execute", field: "shell", yields: true },
  skill_use: { kind: "other", field: "skills" },
  skill_read_file: { kind: "other", field: "skills" },
  skill_run_script: { kind: "execute", field: "skills" },
  mail_search: { kind: "other", field: "mail", yields: true },
  mail_read: { kind: "other", field: "mail", yields: true, mayWriteFile: true },
  mail_draft: { kind: "other", field: "mail", yields: true },
  mail_move: { kind: "other", field: "mail", yields: true },
  mail_send: { kind: "other", field: "mail", yields: true },
} as const satisfies Record<string, BuiltinTool>;

/** The name of a built-in tool. */
export type BuiltinToolName = keyof typeof BUILTIN_TOOLS;

/** The name of a built-in tool with these facts. */
export type BuiltinToolWith<Facts extends object> = {
  [Name in BuiltinToolName]: typeof BUILTIN_TOOLS[Name] extends Facts ? Name : never;
}[BuiltinToolName];

/** The name of a tool that every agent has. */
export type CommonToolName = Exclude<BuiltinToolName, BuiltinToolWith<{ field: string }>>;

/** The name of a tool that changes files. */
export type FileChangerName = BuiltinToolWith<{ kind: "edit" | "delete" | "move" }>;

/** The names of all built-in tools. */
export const BUILTIN_TOOL_NAMES = Object.keys(BUILTIN_TOOLS) as BuiltinToolName[];

/** Returns the facts about the built-in tool of this name, or undefined. */
export function findBuiltinTool(name: string): BuiltinTool | undefined {
  return isBuiltinName(name) ? BUILTIN_TOOLS[name] : undefined;
}

/** Returns true if a built-in tool has this name. */
export function isBuiltinName(name: string): name is BuiltinToolName {
  return Object.hasOwn(BUILTIN_TOOLS, name);
}

/** Returns the names of the tools that an agent has by a field of its file, or of the tools that every agent has. */
export function builtinToolsBy(field: BuiltinTool["field"]): BuiltinToolName[] {
  return BUILTIN_TOOL_NAMES.filter((name) => findBuiltinTool(name)?.field === field);
}

/** Returns the names of the tools that change files. */
export function fileChangers(): BuiltinToolName[] {
  return BUILTIN_TOOL_NAMES.filter((name) =>
    ["edit", "delete", "move"].includes(BUILTIN_TOOLS[name].kind)
  );
}

/** Returns the sorted names of the tools that require approval by default. */
export function guardedByDefault(): BuiltinToolName[] {
  return BUILTIN_TOOL_NAMES.filter((name) => findBuiltinTool(name)?.isGuarded === true).sort();
}

/** Returns true if a built-in tool of this name gives up the name to a custom tool or a server's tool. */
export function yieldsName(name: string): boolean {
  return findBuiltinTool(name)?.yields === true;
}
