// Reports agents that start programs on a system without a sandbox.
import type { Agent } from "../agents/agent.ts";
import type { ResourceProblem } from "../agents/resource_problem.ts";
import { limitsHosts } from "../agents/approval/shell_settings.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { agentNeeds } from "./agent_needs.ts";
import { describeMissing, describeMissingBridge } from "../sandbox/process_sandbox.ts";
import { NO_BRIDGE, type SandboxSupport } from "../sandbox/sandbox_support.ts";

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
  const need = needs.find(({ kind, field }) =>
    kind === "run" && field !== "output" && field !== "shell"
  );
  if (need === undefined && agent.shell === undefined) return [];
  const support = await find();
  const severity = sandbox === "required" ? "error" : "warning";
  if (!("bubblewrap" in support)) {
    const gap = { severity, code: "missing_sandbox" } as const;
    const programs = describeMissing(support, sandbox);
    const shell = describeShellGap(support, sandbox);
    return [
      ...(need === undefined ? [] : [{ ...gap, field: need.field, message: programs }]),
      ...(agent.shell === undefined ? [] : [{ ...gap, field: "shell" as const, message: shell }]),
    ];
  }
  const hasBridge = support.bubblewrap.bridge !== undefined;
  const gaps: ResourceProblem[] = !hasBridge && agent.shell && limitsHosts(agent.shell)
    ? [{ field: "shell", severity, message: describeShellGap(NO_BRIDGE, sandbox) }]
    : [];
  // The sandbox limits the hosts of an MCP server that is a program.
  const isLimited = [...needs].some(({ kind, field }) => kind === "net" && field === "mcp") &&
    needs.some(({ kind, field }) => kind === "run" && field === "mcp");
  if (hasBridge || !isLimited) return gaps;
  return [...gaps, { field: "mcp", severity, message: describeMissingBridge(sandbox) }];
}

/** Returns a sentence about a shell whose commands cannot be confined: the consequence, the reason, and the remedy. */
function describeShellGap(
  { problem, remedy }: { problem: string; remedy: string },
  mode: "required" | "preferred",
): string {
  return mode === "required"
    ? `The agent gets no shell: config.yaml says "sandbox: required", and ${problem}. To get one, ${remedy}.`
    : `Every command of the shell asks, whatever shell.allow and auto_approve say: ${problem}. To change that, ${remedy}.`;
}
