// Decides which tools of an agent wait for a person's approval.
import { isEveryTool, matchesPattern } from "../vocabulary/tool_vocabulary.ts";
import type { Agent } from "./agent.ts";

/** The MCP server of a tool, and the server's name for the tool. */
export interface ServerOrigin {
  server: string;
  tool: string;
  /** True if the server declares the tool read-only. The declaration may be false. */
  isReadOnly: boolean;
  /**
   * True if the server's entry demands an approval, false if it frees the tool, except with `mcp_confirm: all`. Undefined:
   * `mcp_confirm` decides.
   */
  asks?: boolean;
}

/** A tool with all its names. */
export interface NamedTool {
  name: string;
  /** The tool's other names, see ToolDeclaration. */
  otherNames?: readonly string[];
  origin?: ServerOrigin;
  /** Set for the built-in shell, which decides about each command. */
  approval?: unknown;
}

/**
 * Returns true if calls of this tool wait for approval. A guard by another name of the tool applies, unless `auto_approve`
 * contains the tool's own name or `server/tool`. A pattern in `auto_approve` does not override a guard by the tool's own
 * name. In a file with `shell:`, the entry `shell` means the built-in tool, and not another tool that took its name. Must
 * not be called for tools that ask a person a question: their questions are always asked.
 */
export function isGuarded(
  agent: Pick<
    Agent,
    "confirmTools" | "freedGuards" | "autoApprove" | "mcpConfirm" | "mcp" | "shell"
  >,
  tool: NamedTool,
): boolean {
  const { confirmTools, freedGuards, autoApprove, mcpConfirm, mcp } = agent;
  if (autoApprove === "*") return false;
  const { name, otherNames = [], origin, approval } = tool;
  if (origin && autoApprove.includes(`${origin.server}/${origin.tool}`)) return false;
  if (confirmTools.includes(name)) return true;
  const isOtherShell = name === "shell" && approval === undefined && agent.shell !== undefined;
  const isFreed = (entry: string) =>
    entry === name && !isOtherShell || matchesOrigin(entry, origin, mcp);
  if (autoApprove.some(isFreed)) return false;
  return confirmTools.some((one) => isEveryTool(one) || namesTool(one, tool, mcp)) ||
    freedGuards.some((one) => otherNames.includes(one)) ||
    origin !== undefined &&
      (mcpConfirm === "all" || (origin.asks ?? (mcpConfirm === "writes" && !origin.isReadOnly)));
}

/**
 * Returns true if calls of this tool that write a file wait for approval. The guards of file_write apply to them, unless
 * `auto_approve` contains the tool's name.
 */
export function isGuardedWriter(
  agent: Parameters<typeof isGuarded>[0],
  { name }: NamedTool,
): boolean {
  return !agent.autoApprove.includes(name) && isGuarded(agent, { name: "file_write" });
}

/** Returns true if an entry of `confirm` is a name of this tool. `servers` are the servers in the agent's `mcp`. */
export function namesTool(
  entry: string,
  { name, otherNames = [], origin }: NamedTool,
  servers: readonly string[],
): boolean {
  return entry === name || otherNames.includes(entry) || matchesOrigin(entry, origin, servers);
}

/**
 * Returns true if an entry `server/tool` matches this tool. A `*` in the entry matches any characters of the tool's name.
 */
export function matchesOrigin(
  entry: string,
  origin: ServerOrigin | undefined,
  servers: readonly string[],
): boolean {
  if (origin === undefined || serverOf(entry, servers) !== origin.server) return false;
  return matchesPattern(origin.tool, entry.slice(origin.server.length + 1));
}

/** Returns the server in an entry `server/tool`: the longest name in `servers` that matches. Undefined if none does. */
export function serverOf(entry: string, servers: readonly string[]): string | undefined {
  return servers.filter((server) => entry.startsWith(`${server}/`))
    .sort((a, b) => b.length - a.length)[0];
}
