// The settings of a workspace, before anything in it is opened.
import type { Config } from "./config.ts";
import { ConfigFile, versionOf } from "./config_file.ts";
import {
  DATABASE_VARIABLE,
  type DatabaseSettings,
  readDatabaseSettings,
} from "./database_settings.ts";
import type { Directories } from "./directories.ts";
import { EnvironmentFiles } from "./files/environment_files.ts";
import { loadConfig } from "./parse_config.ts";
import { resolveConfigDir } from "./places.ts";
import { resolveDirectories } from "./resolve_directories.ts";
import { PATHS } from "../../base/plain_path.ts";

const { join } = PATHS;

/** The process's surroundings: its variables and its home. */
export interface Surroundings {
  /** The shell's variables at the start of the process. */
  shell: Readonly<Record<string, string>>;
  /** The user's home directory. */
  home: string;
}

/** The settings from config.yaml, the environment files and the surroundings. */
export interface WorkspaceSettings extends Surroundings {
  /** The current configuration. Read it where it is used; copy values that must not change while the service runs. */
  readonly config: Config;
  configFile: ConfigFile;
  directories: Directories;
  environment: EnvironmentFiles;
  /** The shared database, fixed when the process starts; undefined: SQLite on this machine. */
  readonly database: DatabaseSettings | undefined;
}

/**
 * Reads config.yaml and resolves the paths of the workspace (default: config.yaml's). Throws ConfigError with all
 * problems of the file, DatabaseVariableUnusable, and SocketPathTooLong.
 */
export async function loadSettings(
  surroundings: Surroundings & { workspace?: string },
): Promise<WorkspaceSettings> {
  const { shell, home, workspace } = surroundings;
  const env = (name: string) => shell[name];
  const path = join(resolveConfigDir(env, home), "config.yaml");
  // Before reading: the next check then finds a change in between.
  const version = await versionOf(path);
  const variable = shell[DATABASE_VARIABLE] || undefined;
  const parsing = { home, hasDatabase: variable !== undefined };
  const config = await loadConfig(path, parsing);
  const database = readDatabaseSettings(config, { variable });
  const directories = await resolveDirectories({
    env,
    home,
    config,
    ...(workspace === undefined ? {} : { workspace }),
  });
  const files = [directories.workspaceEnvFile, directories.configEnvFile];
  const configFile = new ConfigFile(config, { ...parsing, version });
  return {
    shell,
    home,
    configFile,
    get config() {
      return configFile.current;
    },
    directories,
    environment: new EnvironmentFiles({ files, shell }),
    database,
  };
}
