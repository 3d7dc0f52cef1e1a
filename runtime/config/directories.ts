// Defines the paths of a workspace. resolve_directories.ts resolves them.

/** The absolute paths of one workspace. */
export interface Directories {
  configDir: string;
  /** The path of config.yaml. */
  configFile: string;
  /** The `.env` file in the config directory. */
  configEnvFile: string;
  stateDir: string;
  /** The state directory of the workspace that config.yaml names. */
  baseStateDir: string;
  /** The state directory that this workspace uses while config.yaml names another workspace. */
  ownStateDir: string;
  socketFile: string;
  /** The socket of the proxy for programs in the sandbox. It is beside the service's socket. */
  proxySocketFile: string;
  databaseFile: string;
  pidFile: string;
  lockFile: string;
  logFile: string;
  workspace: string;
  /** The path of the workspace without symbolic links. It identifies the state of the workspace. */
  realWorkspace: string;
  agentsDir: string;
  /** The folder of custom tools, `agents/_config/tools`. */
  toolsDir: string;
  skillsDir: string;
  mcpServersFile: string;
  /** The `.env` file in the workspace. */
  workspaceEnvFile: string;
  /** The paths of pricing.yaml, first that of the workspace, then that of the config directory. */
  pricingFiles: string[];
}
