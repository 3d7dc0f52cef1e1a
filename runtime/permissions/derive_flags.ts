// Derives the narrowest flags for a workspace: the needs of Inkling, of config.yaml, and of every agent.
import { join } from "node:path";
import { AgentRegistry } from "../agents/registry.ts";
import type { Config } from "../config/config.ts";
import type { DatabaseSettings } from "../config/database_settings.ts";
import type { Directories } from "../config/directories.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { type AgentNeeds, agentNeeds, type AgentSurroundings } from "./agent_needs.ts";
import { type PermissionFlags, toPermissionFlags } from "./permission_flags.ts";
import { serviceNeeds } from "./service_needs.ts";

const NO_RUN =
  "Without --allow-run no program can be started or ended: no agent needs one. Commands that start the " +
  "service in the background or end it (run, chat, respond, start -d, stop) need the flag; start does not";

/**
 * Returns the flags for a service of this workspace with its present agents. `host` replaces the address of the TCP
 * listener in config.yaml. The remarks name limitations, and files that could not be read.
 */
export async function deriveFlags(
  workspace: AgentSurroundings & {
    config: Config;
    directories: Directories;
    database: DatabaseSettings | undefined;
    shell: Readonly<Record<string, string>>;
  },
  options: { host?: string } = {},
): Promise<PermissionFlags> {
  const { config, directories, environment, home, database, shell } = workspace;
  const registry = new AgentRegistry({ config, directories, home });
  const { errors } = await registry.load();
  const own = serviceNeeds({
    ...{ config, directories, environment, home, database, shell },
    ...options,
  });
  const agents: AgentNeeds[] = [];
  for (const agent of registry.list()) agents.push(await agentNeeds(agent, workspace));
  const needs = [...own, ...agents.flatMap((one) => one.needs)];
  const configured = join(directories.agentsDir, "_config");
  const closed = [...new Set([configured, knownRealPath(configured)])];
  const { flags, remarks } = toPermissionFlags(needs, { closed });
  return {
    flags,
    remarks: [
      ...agents.flatMap((one) => one.remarks),
      ...remarks,
      ...errors.map((one) => `Not checked: ${formatDiagnostic(one)}`),
      ...(needs.some(({ kind }) => kind === "run") ? [] : [NO_RUN]),
    ],
  };
}
