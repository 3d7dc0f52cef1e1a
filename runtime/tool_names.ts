// The names by which a person guards and frees tools: those that are the same everywhere, and the words for all of them.
import { suggest } from "../base/text/suggestion.ts";

/** The names of Inkling's own tools, whether every agent has them or only those that name skills or agents. */
export const BUILTIN_TOOL_NAMES = [
  "file_read",
  "file_write",
  "file_edit",
  "file_delete",
  "file_move",
  "file_glob",
  "http_request",
  "memory_save",
  "memory_append",
  "memory_retrieve",
  "ask_user",
  "run_agent",
  "skill_use",
  "skill_read_file",
  "skill_run_script",
] as const;

/** The form of every name that a tool has in a run; a server may call its tool otherwise. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Whether a name in a list of tools stands for all of them. */
export function isEveryTool(name: string): boolean {
  return name === "*" || name === "all";
}

/** Whether a tool can have this name in a run. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}

/**
 * Why a name likely means no tool, as the end of a sentence that the list begins; undefined where it may well be one. For
 * whoever cannot know the tools of servers and of a person's own: it complains of what no tool can be called, and of what
 * reads like a built-in tool, or like many tools, and is none. With `mayBeOfServer` it may be what a server calls its tool.
 */
export function describeDoubtfulTool(
  name: string,
  { mayBeOfServer }: { mayBeOfServer: boolean },
): { doubt: string; hint?: string } | undefined {
  if (isEveryTool(name) || BUILTIN_TOOL_NAMES.some((one) => one === name)) return undefined;
  // The form server/tool; which servers there are the agent's file says.
  if (mayBeOfServer && name.includes("/")) return undefined;
  const nearest = suggest(name, BUILTIN_TOOL_NAMES);
  const hint = nearest === undefined ? {} : { hint: `did you mean "${nearest}"?` };
  const isValid = isToolName(name);
  if (!isValid && !mayBeOfServer) {
    return { doubt: `${name}, and no tool can have that name`, ...hint };
  }
  if (nearest === undefined && !name.includes("*")) return undefined;
  const others = isValid ? "a tool of your own or of a server" : "a tool that a server calls so";
  return { doubt: `${name}, which is no built-in tool: it means only ${others}`, ...hint };
}
