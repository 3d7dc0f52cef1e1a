// Where things are. One shape for everything that opens a file; resolve_directories.ts resolves it.

/** Every place of one workspace, absolute. */
export interface Directories {
  configDir: string;
  /** config.yaml. */
  configFile: string;
  /** The config directory's `.env`. */
  configEnvFile: string;
  stateDir: string;
  socketFile: string;
  databaseFile: string;
  pidFile: string;
  lockFile: string;
  logFile: string;
  workspace: string;
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
