// Reports agents that start programs on a system without a sandbox.
import type { Agent } from "../agents/agent.ts";
import type { ResourceProblem } from "../agents/resource_problem.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { agentNeeds } from "./agent_needs.ts";
import { describeMissing, describeMissingBridge } from "../sandbox/process_sandbox.ts";
import type { SandboxSupport } from "../sandbox/sandbox_support.ts";

/**
 * Returns a warning, or an error if config.yaml requires a sandbox. Returns nothing for an agent that starts no program.
 */
export async function sandboxGap(
  agent: Agent,
  settings: WorkspaceSettings,
  find: () => Promise<SandboxSupport>,
): Promise<ResourceProblem[]> {
  const { sandbox } = settings.config;
  if (sandbox === "off") return [];
  const { needs } = await agentNeeds(agent, settings);
  // The need for `output` is ignored, because the service's process that checks answers runs no code of the agent.
  const need = needs.find(({ kind, field }) => kind === "run" && field !== "output");
  if (need === undefined) return [];
  const support = await find();
  const severity = sandbox === "required" ? "error" : "warning";
  if (!("bubblewrap" in support)) {
    const message = describeMissing(support, sandbox);
    return [{ field: need.field, severity, message, code: "missing_sandbox" }];
  }
  // The sandbox limits the hosts of an MCP server that is a program.
  const isLimited = [...needs].some(({ kind, field }) => kind === "net" && field === "mcp") &&
    needs.some(({ kind, field }) => kind === "run" && field === "mcp");
  if (support.bubblewrap.bridge !== undefined || !isLimited) return [];
  return [{ field: "mcp", severity, message: describeMissingBridge(sandbox) }];
}
