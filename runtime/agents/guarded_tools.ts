// Which of an agent's tools wait for a person's consent.
import { fitsPattern, isEveryTool } from "../tool_vocabulary.ts";
import type { Agent } from "./agent.ts";

/** The server that a tool is from, and what that calls it. */
export interface ServerOrigin {
  server: string;
  tool: string;
  /** Whether the server says that its calls change nothing. Its word: it may be a lie. */
  isReadOnly: boolean;
}

/** A tool by all its names. */
export interface NamedTool {
  name: string;
  /** See ToolDeclaration. */
  otherNames?: readonly string[];
  origin?: ServerOrigin;
}

/**
 * Whether a call of this tool waits: a guard by one of its other names holds, unless it is freed by the one that it has, or
 * by `server/tool`. A pattern frees less: a guard by the name that the tool has holds against it. A question to a person is
 * not such a call: it is asked in any case.
 */
export function isGuarded(
  agent: Pick<Agent, "confirmTools" | "freedGuards" | "autoApprove" | "mcpConfirm" | "mcp">,
  tool: NamedTool,
): boolean {
  const { confirmTools, freedGuards, autoApprove, mcpConfirm, mcp } = agent;
  if (autoApprove === "*") return false;
  const { name, otherNames = [], origin } = tool;
  if (origin && autoApprove.includes(`${origin.server}/${origin.tool}`)) return false;
  if (confirmTools.includes(name)) return true;
  if (autoApprove.some((one) => one === name || matchesOrigin(one, origin, mcp))) return false;
  return confirmTools.some((one) => isEveryTool(one) || namesTool(one, tool, mcp)) ||
    freedGuards.some((one) => otherNames.includes(one)) ||
    origin !== undefined &&
      (mcpConfirm === "all" || mcpConfirm === "writes" && !origin.isReadOnly);
}

/** Whether an entry of `confirm` means this tool; `servers` are those that the agent names. */
export function namesTool(
  entry: string,
  { name, otherNames = [], origin }: NamedTool,
  servers: readonly string[],
): boolean {
  return entry === name || otherNames.includes(entry) || matchesOrigin(entry, origin, servers);
}

/** Whether an entry of the form `server/tool`, where `*` stands for any characters of the tool's name, means this tool. */
export function matchesOrigin(
  entry: string,
  origin: ServerOrigin | undefined,
  servers: readonly string[],
): boolean {
  if (origin === undefined || serverOf(entry, servers) !== origin.server) return false;
  return fitsPattern(origin.tool, entry.slice(origin.server.length + 1));
}

/** The server that an entry of the form `server/tool` means: the longest name that it begins with. */
export function serverOf(entry: string, servers: readonly string[]): string | undefined {
  return servers.filter((server) => entry.startsWith(`${server}/`))
    .sort((a, b) => b.length - a.length)[0];
}
