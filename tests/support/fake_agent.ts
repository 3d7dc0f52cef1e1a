// Agents and places as tests need them: complete, with only what matters named.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { Directories } from "../../runtime/config/directories.ts";

/** An agent with defaults for everything that a test does not name. */
export function fakeAgent(id: string, changes: Partial<Agent> = {}): Agent {
  return {
    id,
    displayName: id,
    description: "",
    icon: "🔧",
    model: { provider: "demo", name: "script", streamUsage: true },
    trigger: { type: "manual" },
    settings: {
      temperature: 0.7,
      maxTokens: 4096,
      timeout: 300,
      maxToolCalls: 50,
      maxExecutionTokens: 500_000,
      maxCostUsd: null,
      loopDetection: true,
    },
    customTools: [],
    mcp: [],
    skills: [],
    agents: [],
    paths: [],
    history: "low",
    confirmTools: ["file_delete", "file_write"],
    autoApprove: [],
    onPending: "skip",
    confirmTimeoutMs: null,
    onRestart: "orphan",
    enabled: true,
    body: "Do it.",
    sourcePath: `/workspace/agents/${id}.md`,
    warnings: [],
    ...changes,
  };
}

/** Every place of one workspace below `root`; nothing is made. */
export function fakeDirectories(root: string): Directories {
  const stateDir = `${root}/state`;
  const workspace = `${root}/workspace`;
  return {
    configDir: `${root}/config`,
    configFile: `${root}/config/config.yaml`,
    configEnvFile: `${root}/config/.env`,
    stateDir,
    socketFile: `${stateDir}/service.sock`,
    databaseFile: `${stateDir}/inkling.db`,
    pidFile: `${stateDir}/inkling.pid`,
    lockFile: `${stateDir}/inkling.lock`,
    logFile: `${stateDir}/inkling.log`,
    workspace,
    agentsDir: `${workspace}/agents`,
    toolsDir: `${workspace}/agents/_config/tools`,
    skillsDir: `${workspace}/agents/_config/skills`,
    mcpServersFile: `${workspace}/agents/_config/mcp-servers.json`,
    workspaceEnvFile: `${workspace}/agents/_config/.env`,
    pricingFiles: [],
  };
}
