// Agents and directories for tests. A test names only the fields that it needs.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { createTestAgent } from "./test_agent.ts";

/** Creates an agent with this id and the default guards; `changes` replace its fields. */
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

/** Returns the paths of a workspace below `root`. Creates no folder. */
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
