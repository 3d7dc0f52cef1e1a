// Loads the settings of a workspace. Nothing in the workspace is opened yet.
import type { Config } from "./config.ts";
import { ConfigFile } from "./config_file.ts";
import {
  DATABASE_VARIABLE,
  type DatabaseSettings,
  readDatabaseSettings,
} from "./database_settings.ts";
import type { Directories } from "./directories.ts";
import { EnvironmentFiles } from "./files/environment_files.ts";
import { versionOf } from "./files/file_stamp.ts";
import { loadConfig } from "./parse_config.ts";
import { resolveConfigDir } from "./places.ts";
import { resolveDirectories } from "./resolve_directories.ts";
import { join } from "../../base/plain_path.ts";

/** The environment of the process: its variables and home directory. */
export interface Surroundings {
  /** The shell's variables at the start of the process. */
  shell: Readonly<Record<string, string>>;
  /** The path of the user's home directory. */
  home: string;
}

/** The settings of a workspace from config.yaml, the environment files and the environment of the process. */
export interface WorkspaceSettings extends Surroundings {
  /**
   * The current configuration. Do not store it, because it is replaced after a change. Copy values that must stay the same
   * while the service runs.
   */
  readonly config: Config;
  configFile: ConfigFile;
  directories: Directories;
  environment: EnvironmentFiles;
  /** The shared database; undefined for SQLite on this machine. It does not change after the start of the process. */
  readonly database: DatabaseSettings | undefined;
}

/**
 * Reads config.yaml and resolves the paths of the workspace (by default that of config.yaml). Throws ConfigError with all
 * problems of the file, DatabaseVariableUnusable, and SocketPathTooLong.
 */
export async function loadSettings(
  surroundings: Surroundings & { workspace?: string | undefined },
): Promise<WorkspaceSettings> {
  const { shell, home, workspace } = surroundings;
  const env = (name: string) => shell[name];
  const path = join(resolveConfigDir(env, home), "config.yaml");
  // The version is read before the file, so that the next check notices a change in between.
  const version = await versionOf(path);
  const variable = shell[DATABASE_VARIABLE] || undefined;
  const parsing = { home, hasDatabase: variable !== undefined };
  const config = await loadConfig(path, parsing);
  const directories = await resolveDirectories({
    env,
    home,
    config,
    ...(workspace === undefined ? {} : { workspace }),
  });
  const files = [directories.workspaceEnvFile, directories.configEnvFile];
  const environment = new EnvironmentFiles({ files, shell });
  const lookup = (name: string) => environment.get(name);
  const database = readDatabaseSettings(config, { variable, lookup });
  const configFile = new ConfigFile(config, { ...parsing, version });
  return {
    shell,
    home,
    configFile,
    get config() {
      return configFile.current;
    },
    directories,
    environment,
    database,
  };
}
