// Checks the names of tools and of other agents in an agent file.
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import type { YamlPath } from "../../runtime/config/files/yaml_document.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { nearestHint, suggest } from "../../base/text/suggestion.ts";
import {
  describeDoubtfulTool,
  isEveryTool,
  isToolName,
} from "../../runtime/vocabulary/tool_vocabulary.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { serverOf } from "../../runtime/agents/guarded_tools.ts";
import { type InspectedResources, itemPath } from "../../runtime/agents/resource_problem.ts";
import type { ValidationContext } from "./validation_context.ts";

/** Warns about unknown names of tools and agents. The names of the agent's custom tools and servers count as known. */
export function diagnoseNames(
  agent: Agent,
  file: DiagnosedFile,
  known: ValidationContext & { knownTools: readonly string[]; resources: InspectedResources },
): Diagnostic[] {
  return [
    ...checkToolNames(agent, file, known),
    ...checkAgents(agent, file, known.agentIds),
    ...checkFollowed(agent, file, known),
  ];
}

function checkToolNames(
  agent: Agent,
  file: DiagnosedFile,
  { knownTools, resources }: { knownTools: readonly string[]; resources: InspectedResources },
): Diagnostic[] {
  const known = new Set([...knownTools, ...resources.toolNames]);
  return ["confirm", "auto_approve"].flatMap((field) => {
    const names = file.document.value[field];
    if (!Array.isArray(names)) return [];
    return names.flatMap((name: unknown, i) => {
      if (typeof name !== "string" || isEveryTool(name) || known.has(name)) return [];
      if (agent.leftOut.includes(name)) {
        const message = `${field} names ${name}, which the agent's tools leave out`;
        return [diagnose(file, [field, i], { severity: "warning", message })];
      }
      // An entry of `confirm` may also be the name that a server gives its tool, which may contain a slash.
      const mayBeOwnName = field === "confirm" && agent.mcp.length > 0;
      if (name.includes("/") && (!mayBeOwnName || serverOf(name, agent.mcp) !== undefined)) {
        return checkServerTool(agent, file, [field, i], name);
      }
      if (resources.isComplete) {
        const message = `${field} names an unknown tool: ${name}`;
        return [warnUnknown(file, [field, i], message, { name, known })];
      }
      return warnDoubtful(agent, file, [field, i], name);
    });
  });
}

/** Checks an entry `server/tool`. Only the server's name is checked, because only the server knows its tools. */
function checkServerTool(
  agent: Agent,
  file: DiagnosedFile,
  at: YamlPath,
  entry: string,
): Diagnostic[] {
  const server = serverOf(entry, agent.mcp);
  if (server !== undefined && entry.length > server.length + 1) return [];
  const written = entry.slice(0, entry.lastIndexOf("/"));
  const nearest = suggest(written, agent.mcp);
  const message = server !== undefined
    ? `${String(at[0])} names no tool of the MCP server ${server}: ${entry}`
    : `${String(at[0])} names ${entry}, and the agent has no MCP server ${written}`;
  const hint = server !== undefined
    ? `${server}/* means all of them`
    : nearest === undefined
    ? "the part before the slash is a name in `mcp`"
    : `did you mean "${nearest}"?`;
  return [diagnose(file, at, { severity: "warning", message, hint })];
}

/**
 * Warns about an unknown tool name in the file of an agent whose tools are not all known, unless a tool of the agent may
 * have this name.
 */
function warnDoubtful(agent: Agent, file: DiagnosedFile, at: YamlPath, name: string): Diagnostic[] {
  if (agent.customTools.includes(name)) return [];
  const hasServers = agent.mcp.length > 0;
  // An entry of `auto_approve` must be the name that a tool has in a run. An entry of `confirm` may also be the name that a
  // server gives its tool.
  if (hasServers && at[0] === "auto_approve" && !isToolName(name)) {
    const message = `auto_approve names ${name}, which frees no tool: ` +
      "the name that a tool has in a run is made of letters, digits, _ and -, 64 at most";
    const hint = name.includes("*") && { hint: "a pattern has the form server/get_*" };
    return [diagnose(file, at, { severity: "warning", message, ...hint })];
  }
  if (agent.mcp.some((server) => name.startsWith(`${server}_`))) return [];
  const doubtful = describeDoubtfulTool(name, { mayBeOfServer: hasServers });
  if (doubtful === undefined) return [];
  const { doubt, ...hint } = doubtful;
  const message = `${String(at[0])} names ${doubt}`;
  return [diagnose(file, at, { severity: "warning", message, ...hint })];
}

function checkAgents(agent: Agent, file: DiagnosedFile, agentIds: readonly string[]): Diagnostic[] {
  const known = new Set(agentIds.filter((id) => id !== agent.id));
  return agent.agents.flatMap((name) => {
    const at = itemPath(file, ["agents"], name);
    if (known.has(name.normalize("NFC"))) return [];
    if (name.normalize("NFC") === agent.id) {
      const message = "agents names the agent itself: an agent cannot run itself";
      return [diagnose(file, at, { severity: "warning", message })];
    }
    return [
      warnUnknown(file, at, `agents names an unknown agent: ${name}`, { name, known }),
    ];
  });
}

function checkFollowed(
  agent: Agent,
  file: DiagnosedFile,
  { agentIds, startersOf }: ValidationContext,
): Diagnostic[] {
  const isList = Array.isArray(file.document.value["after"]);
  return agent.after.flatMap(({ agentId }, i) => {
    const at = isList ? ["after", i] : ["after"];
    if (agentId !== agent.id && !agentIds.includes(agentId)) {
      const options = { name: agentId, known: agentIds };
      return [warnUnknown(file, at, `after names an unknown agent: ${agentId}`, options)];
    }
    if (!isFollowed(agent.id, { from: agentId, startersOf })) return [];
    const message = agentId === agent.id
      ? "after names the agent itself: each of its ends would start it again"
      : `after forms a cycle: ${agentId} follows this agent, directly or through others`;
    const hint = "the cycle is stopped after ten runs in a row";
    return [diagnose(file, at, { severity: "warning", message, hint })];
  });
}

/** Returns true if an end of the agent `agentId` starts the agent `from`, directly or through other agents. */
function isFollowed(
  agentId: string,
  { from, startersOf }: { from: string; startersOf: (id: string) => readonly string[] },
): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const next of startersOf(id)) seen.add(next);
  return seen.has(agentId);
}

function warnUnknown(
  file: DiagnosedFile,
  at: YamlPath,
  message: string,
  options: { name: string; known: Iterable<string> },
): Diagnostic {
  const hint = nearestHint(options.name, options.known);
  return diagnose(file, at, { severity: "warning", message, ...hint });
}
