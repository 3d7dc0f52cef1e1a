// The paths of a workspace. resolve_directories.ts resolves them.

/** The paths of one workspace, absolute. */
export interface Directories {
  configDir: string;
  /** config.yaml. */
  configFile: string;
  /** The config directory's `.env`. */
  configEnvFile: string;
  stateDir: string;
  /** The state directory of config.yaml's workspace. */
  baseStateDir: string;
  /** The state directory of this workspace while config.yaml names another one. */
  ownStateDir: string;
  socketFile: string;
  /** The socket of the proxy for programs in the sandbox; beside the service's socket. */
  proxySocketFile: string;
  databaseFile: string;
  pidFile: string;
  lockFile: string;
  logFile: string;
  workspace: string;
  /** The workspace path without symbolic links. It identifies the workspace's state. */
  realWorkspace: string;
  agentsDir: string;
  /** `agents/_config/tools`. */
  toolsDir: string;
  skillsDir: string;
  mcpServersFile: string;
  /** The workspace's `.env`. */
  workspaceEnvFile: string;
  /** pricing.yaml of the workspace, then of the config directory. */
  pricingFiles: string[];
}
