// Counts an agent's tools without starting a server. Warns if the agent's model accepts fewer tools.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { ResourceProblem } from "../../runtime/agents/resource_problem.ts";
import { modelChain } from "../../runtime/config/providers.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { ifUsable } from "../../runtime/models/endpoint.ts";
import { findTooManyTools, TOOLS_REMEDY } from "../../runtime/models/tool_limit.ts";
import { matchesPattern, requestedTools } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { readListedTools } from "../../runtime/tools/mcp/listing/listed_tools.ts";
import type { ParsedServer } from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { describeKeptName } from "../../runtime/tools/name_clash.ts";
import { isChosen } from "../../runtime/tools/mcp/servers_file/server_definition.ts";
import type { ServersFile } from "../../runtime/tools/mcp/servers_file/servers_file.ts";

/**
 * Reports an agent with more tools than its model accepts, patterns that match no tool, and tools that replace a built-in
 * tool. Of each server, the tools in
 * its last stored list are counted.
 */
export async function inspectToolCount(
  agent: Agent,
  { servers, settings }: { servers: ServersFile; settings: WorkspaceSettings },
  { builtin, custom }: { builtin: readonly string[]; custom: readonly string[] },
): Promise<ResourceProblem[]> {
  const { model, mcp } = agent;
  const content = mcp.length === 0 ? undefined : servers.read();
  const entries = content !== undefined && "servers" in content ? content.servers : new Map();
  const listed = mcp.length === 0
    ? new Map()
    : await readListedTools(settings.directories.stateDir);
  const problems: ResourceProblem[] = [];
  const others = new Set([...builtin, ...custom]);
  let count = others.size;
  const chosenNames: string[] = [];
  for (const server of mcp) {
    const entry: ParsedServer | undefined = entries.get(server);
    const names: string[] | undefined = listed.get(server);
    if (entry === undefined || "problem" in entry || names === undefined) continue;
    const own = requestedTools(agent, server);
    const chosen = names.filter((one) => isChosen(one, entry.declared.tools, own));
    count += chosen.length;
    chosenNames.push(...chosen);
    for (const pattern of own ?? []) {
      if (chosen.some((one) => matchesPattern(one, pattern))) continue;
      const message =
        `mcp names ${server}/${pattern}, and none of the server's ${names.length} tools fits`;
      problems.push({ field: "mcp", severity: "warning", message });
    }
  }
  // A name that two tools want is given to none of them.
  const isOnly = (name: string) =>
    !custom.includes(name) && chosenNames.filter((one) => one === name).length === 1;
  for (const name of chosenNames.filter(isOnly)) {
    const kept = describeKeptName("The MCP tool", name, builtin);
    if (kept !== undefined) problems.push({ field: "mcp", severity: "warning", ...kept });
  }
  const tooMany = modelChain(model).flatMap((one) =>
    ifUsable(() => findTooManyTools(one, count)) ?? []
  );
  return [
    ...problems,
    ...tooMany.map(({ message, isCertain }): ResourceProblem => ({
      field: mcp.length > 0 ? "mcp" : "model",
      severity: isCertain ? "error" : "warning",
      message,
      hint: TOOLS_REMEDY,
    })),
  ];
}
