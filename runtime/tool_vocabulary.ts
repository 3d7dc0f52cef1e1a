// The names of tools, and the description of a tool, which agents, tools, models and executions share.
import type { JsonSchema } from "../base/json.ts";
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

/**
 * An entry of `mcp`: a server, or as `server/tool` some of its tools. The slash in `@scope/name` belongs to the server's name.
 */
function readMcpEntry(entry: string): { server: string; tools?: string } {
  const slash = entry.lastIndexOf("/");
  const isName = slash <= 0 || entry.startsWith("@") && entry.indexOf("/") === slash;
  return isName
    ? { server: entry }
    : { server: entry.slice(0, slash), tools: entry.slice(slash + 1) };
}

/** Entries of `mcp` by server: its name, and the patterns of the tools that are wanted of it. */
export function readMcpEntries(
  written: readonly string[],
): { mcp: string[]; mcpTools?: Readonly<Record<string, readonly string[]>> } {
  const entries = written.map(readMcpEntry);
  const whole = new Set(
    entries.flatMap(({ server, tools }) => tools === undefined ? [server] : []),
  );
  const chosen: Record<string, string[]> = {};
  for (const { server, tools } of entries) {
    if (tools !== undefined && !whole.has(server)) (chosen[server] ??= []).push(tools);
  }
  const isChosen = Object.keys(chosen).length > 0;
  return {
    mcp: [...new Set(entries.map(({ server }) => server))],
    ...(isChosen && { mcpTools: chosen }),
  };
}

/** Whether a name fits a pattern, in which `*` stands for any characters. */
export function fitsPattern(name: string, pattern: string): boolean {
  return fits(name, pattern.split("*"));
}

/** Whether a text is these parts, in their order, with anything between them. */
function fits(text: string, [first = "", ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  let at = first.length;
  if (at > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  return others.every((part) => {
    const found = text.indexOf(part, at);
    at = found + part.length;
    return found >= 0 && at <= end;
  });
}

/** One tool of a request to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** Describes the arguments object. */
  parameters: JsonSchema;
}

/** A picture or a PDF file that a model sees beside the text of a tool's result. */
export interface Media {
  kind: "image" | "pdf";
  /** `image/png`. */
  mediaType: string;
  /** Base64. */
  data: string;
  /** An estimate. */
  tokens: number;
}
