// A workspace with its settings, before anything in it is opened.
import type { Config } from "./config.ts";
import { ConfigFile, versionOf } from "./files/config_file.ts";
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

/** What the process gives: its variables and its home. */
export interface Surroundings {
  /** The shell's variables as they stand when the process starts. */
  shell: Readonly<Record<string, string>>;
  /** The user's home directory. */
  home: string;
}

/** Everything that config.yaml, the environment files and the surroundings settle. */
export interface WorkspaceSettings extends Surroundings {
  /** As it is now: ask for it where it is used, and keep what must not change while the service runs. */
  readonly config: Config;
  configFile: ConfigFile;
  directories: Directories;
  environment: EnvironmentFiles;
  /** The database that machines share, as it is named when the process starts; undefined: SQLite on this machine. */
  readonly database: DatabaseSettings | undefined;
}

/**
 * Reads config.yaml and finds every place of the workspace (default: config.yaml's). Throws ConfigError with all
 * problems of the file, DatabaseVariableUnusable, and SocketPathTooLong.
 */
export async function loadSettings(
  surroundings: Surroundings & { workspace?: string },
): Promise<WorkspaceSettings> {
  const { shell, home, workspace } = surroundings;
  const env = (name: string) => shell[name];
  const path = join(resolveConfigDir(env, home), "config.yaml");
  // Before it is read: a change in between is found by the next look.
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
