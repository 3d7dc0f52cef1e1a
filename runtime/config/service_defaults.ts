// The defaults of the service's flags: config.yaml's `service`, and the key of its TCP clients.
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { PATHS } from "../../base/plain_path.ts";
import type { WorkspaceSettings } from "./settings.ts";
import { EnvironmentFiles } from "./files/environment_files.ts";

/** The sources of the defaults. */
type SettingsSources = Pick<WorkspaceSettings, "config" | "shell" | "directories">;

/** The values for omitted flags. */
export interface ServiceDefaults {
  /** Null: it listens on its socket only. */
  port: number | null;
  host: string;
  keepAlive: boolean;
  /** The key of TCP clients, or undefined. */
  key: string | undefined;
  /** The file with the key; undefined when the shell has the key, or no key is set. */
  keySource: string | undefined;
  /** The recommended file for the key. */
  keyFile: string;
}

/** The variable with the key of TCP clients. */
const KEY = "INKLING_API_KEY";

/**
 * Reads the defaults for the service of a workspace. The port applies to config.yaml's own workspace only: two services
 * cannot share it. The shell's key wins, because `start --api-key` passes it to a background service in the
 * environment. `service.env`, its former place, comes last.
 */
export function readServiceDefaults(
  { config, shell, directories }: SettingsSources,
): ServiceDefaults {
  const { configEnvFile: keyFile, stateDir, baseStateDir } = directories;
  const port = stateDir === baseStateDir ? config.service.port : null;
  const defaults = { ...config.service, port, keyFile };
  for (const keySource of [undefined, keyFile, formerKeyFile(directories)]) {
    const variables = keySource === undefined
      ? new EnvironmentFiles({ files: [], shell })
      : new EnvironmentFiles({ files: [keySource], shell: {} });
    const key = variables.get(KEY)?.trim() ?? "";
    if (key !== "") return { ...defaults, key, keySource };
  }
  return { ...defaults, key: undefined, keySource: undefined };
}

/** Returns the file that only installed units read for the key. */
function formerKeyFile({ configDir }: SettingsSources["directories"]): string {
  return PATHS.join(configDir, "service.env");
}

/**
 * Returns an error when the port has no key, so that the service cannot start, and a warning when the key is in its
 * former place.
 */
export function diagnoseService(settings: SettingsSources): Diagnostic[] {
  const { key, keySource, keyFile, port } = readServiceDefaults(settings);
  if (key === undefined && port !== null) {
    const message = `service.port needs a key, and ${KEY} is not set: the service does not start`;
    const hint = `add the line ${KEY}=<a long random text> to ${keyFile}`;
    return [{ ...errorAtStart(settings.config.path, message), hint }];
  }
  if (keySource !== formerKeyFile(settings.directories)) return [];
  const message = `${KEY} is in a file that only an installed unit reads`;
  const hint = `move the line to ${keyFile}`;
  return [{ ...errorAtStart(keySource, message), severity: "warning", hint }];
}
