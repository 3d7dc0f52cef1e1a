// Where things are. One shape for everything that opens a file; resolve_directories.ts resolves it.

/** Every place of one workspace, absolute. */
export interface Directories {
  configDir: string;
  /** config.yaml. */
  configFile: string;
  /** The config directory's `.env`. */
  configEnvFile: string;
  stateDir: string;
  /** The state directory of config.yaml's workspace. */
  baseStateDir: string;
  /** The state directory that this workspace has while config.yaml names another. */
  ownStateDir: string;
  socketFile: string;
  /** Where programs in the sandbox find their way to the network; beside the service's socket. */
  proxySocketFile: string;
  databaseFile: string;
  pidFile: string;
  lockFile: string;
  logFile: string;
  workspace: string;
  /** The workspace without symbolic links: what its state is kept by. */
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
