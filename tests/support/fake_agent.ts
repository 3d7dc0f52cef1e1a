// Agents and places as tests need them: complete, with only what matters named.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { createTestAgent } from "./test_agent.ts";

/** An agent of this id, guarded as agents are by default. */
export function fakeAgent(id: string, changes: Partial<Agent> = {}): Agent {
  return createTestAgent({
    id,
    displayName: id,
    icon: "🔧",
    confirmTools: ["file_delete", "file_write"],
    body: "Do it.",
    sourcePath: `/workspace/agents/${id}.md`,
    ...changes,
  });
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
    baseStateDir: stateDir,
    ownStateDir: `${stateDir}/workspaces/workspace-00000000`,
    socketFile: `${stateDir}/service.sock`,
    proxySocketFile: `${stateDir}/service.net`,
    databaseFile: `${stateDir}/inkling.db`,
    pidFile: `${stateDir}/inkling.pid`,
    lockFile: `${stateDir}/inkling.lock`,
    logFile: `${stateDir}/inkling.log`,
    workspace,
    realWorkspace: workspace,
    agentsDir: `${workspace}/agents`,
    toolsDir: `${workspace}/agents/_config/tools`,
    skillsDir: `${workspace}/agents/_config/skills`,
    mcpServersFile: `${workspace}/agents/_config/mcp-servers.json`,
    workspaceEnvFile: `${workspace}/agents/_config/.env`,
    pricingFiles: [],
  };
}
