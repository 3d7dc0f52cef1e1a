// Reads the values for omitted flags of the service: `service` in config.yaml, and the key of TCP clients.
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { join } from "../../base/plain_path.ts";
import type { WorkspaceSettings } from "./settings.ts";
import { EnvironmentFiles } from "./files/environment_files.ts";

/** The settings from which the values are read. */
type SettingsSources = Pick<WorkspaceSettings, "config" | "shell" | "directories">;

/** The values for omitted flags. */
export interface ServiceDefaults {
  /** The TCP port; null to listen only on the socket. */
  port: number | null;
  host: string;
  keepAlive: boolean;
  /** The key of TCP clients; undefined if none is set. */
  key: string | undefined;
  /** The path of the file with the key; undefined if the shell has the key, or no key is set. */
  keySource: string | undefined;
  /** The path of the file in which a user should set the key. */
  keyFile: string;
}

/** The name of the variable with the key of TCP clients. */
const KEY = "INKLING_API_KEY";

/**
 * Returns the values for the service of a workspace. The port applies only to the workspace of config.yaml, because two
 * services cannot share it. The key of the shell has precedence, because `start --api-key` passes it to a background
 * service in the environment. The file `service.env`, the former place of the key, comes last.
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

/** Returns the path of the former file for the key, which only installed units read. */
function formerKeyFile({ configDir }: SettingsSources["directories"]): string {
  return join(configDir, "service.env");
}

/**
 * Returns an error if the port has no key, because the service then cannot start. Returns a warning if the key is in its
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
