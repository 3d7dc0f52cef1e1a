// Parses lists of tools, and defines the tool descriptions that agents, tools, models and executions share.
import { type JsonSchema, ownValue } from "../../base/json.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { BUILTIN_TOOL_NAMES, isBuiltinName } from "./builtin_tools.ts";

/** Splits a list of tools into the requested tools and the built-in tools that `-name` leaves out. */
export function parseToolEntries(
  entries: readonly string[],
): { customTools: string[]; leftOut: string[] } {
  const isLeftOut = (entry: string) => entry.startsWith("-");
  return {
    customTools: entries.filter((entry) => !isLeftOut(entry)),
    leftOut: entries.filter(isLeftOut).map((entry) => entry.slice(1)),
  };
}

/** The text that a question about a sign-in to an MCP server shows in place of a tool's name. */
export const SIGN_IN = "sign_in";

/** The built-in tool that asks a person. */
export const ASK_USER = "ask_user";

/** The built-in tool that an agent's file names in `tools`, unless a custom tool has this name. */
export const WEB_SEARCH = "web_search";

/** Matches a tool's name in a run. An MCP server may name its tool differently. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns true if an entry of a list of tools stands for all tools. */
export function isEveryTool(name: string): boolean {
  return name === "*" || name === "all";
}

/** Returns true if a tool can have this name in a run. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}

/**
 * Returns the reason why a name in a list such as `confirm` probably matches no tool, as the end of a sentence about the
 * list. Undefined if the name may match a tool. The tools of MCP servers and custom tools are not known here, so only
 * invalid names and names that resemble a built-in tool or a pattern are reported. `mayBeOfServer` is true if the list may
 * contain names that MCP servers give their tools.
 */
export function describeDoubtfulTool(
  name: string,
  { mayBeOfServer }: { mayBeOfServer: boolean },
): { doubt: string; hint?: string } | undefined {
  if (isEveryTool(name) || isBuiltinName(name)) return undefined;
  // `server/tool` is checked elsewhere, because the agent's file names the servers.
  if (mayBeOfServer && name.includes("/")) return undefined;
  const nearest = suggest(name, BUILTIN_TOOL_NAMES);
  const hint = nearest === undefined ? {} : { hint: `did you mean "${nearest}"?` };
  const isValid = isToolName(name);
  if (!isValid && !mayBeOfServer) {
    return { doubt: `${name}, which is not a valid name of a tool`, ...hint };
  }
  if (nearest === undefined && !name.includes("*")) return undefined;
  const others = isValid ? "a custom tool or a server's tool" : "a server's tool of this name";
  return { doubt: `${name}, which is not a built-in tool: it matches only ${others}`, ...hint };
}

/**
 * Parses an entry of `mcp`: a server, or the pattern of some of its tools as `server/tool`. The slash in `@scope/name`
 * belongs to the server's name.
 */
function parseMcpEntry(entry: string): { server: string; tools?: string } {
  const slash = entry.lastIndexOf("/");
  const isName = slash <= 0 || entry.startsWith("@") && entry.indexOf("/") === slash;
  return isName
    ? { server: entry }
    : { server: entry.slice(0, slash), tools: entry.slice(slash + 1) };
}

/** Groups the entries of `mcp` by server. Returns the names of the servers and the patterns of the requested tools. */
export function parseMcpEntries(
  written: readonly string[],
): { mcp: string[]; mcpTools?: Readonly<Record<string, readonly string[]>> } {
  const entries = written.map(parseMcpEntry);
  const whole = new Set(
    entries.flatMap(({ server, tools }) => tools === undefined ? [server] : []),
  );
  const partial = entries.flatMap(({ server, tools }) =>
    tools === undefined || whole.has(server) ? [] : [{ server, tools }]
  );
  const chosen = Map.groupBy(partial, ({ server }) => server).entries().map((
    [server, patterns],
  ) => [server, patterns.map(({ tools }) => tools)] as const);
  return {
    mcp: [...new Set(entries.map(({ server }) => server))],
    ...(partial.length > 0 && { mcpTools: Object.fromEntries(chosen) }),
  };
}

/** Returns the patterns of the tools that an agent requests of a server. Undefined if it requests all tools. */
export function requestedTools(
  { mcpTools = {} }: Omit<ReturnType<typeof parseMcpEntries>, "mcp">,
  server: string,
): readonly string[] | undefined {
  return ownValue(mcpTools, server);
}

/** Returns true if a name matches a pattern, in which `*` stands for any characters. */
export function matchesPattern(name: string, pattern: string): boolean {
  return matchesParts(name, pattern.split("*"));
}

/** Returns true if a text consists of these parts in order, with any characters between them. */
function matchesParts(text: string, [first = "", ...others]: readonly string[]): boolean {
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

/** The description of a tool in a request to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** The JSON Schema of the arguments. */
  parameters: JsonSchema;
}

/** An image or a PDF file that a model receives with the text of a tool's result. */
export interface Media {
  kind: "image" | "pdf";
  /** The media type, such as `image/png`. */
  mediaType: string;
  /** The content in base64. */
  data: string;
  /** The estimated number of tokens. */
  tokens: number;
}
