// How a service runs where no flag says otherwise: config.yaml's `service`, and the key of its TCP clients.
import { type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import { PATHS } from "../../../base/plain_path.ts";
import type { WorkspaceSettings } from "../settings.ts";
import { EnvironmentFiles } from "./environment_files.ts";

/** The sources of the defaults. */
type Settled = Pick<WorkspaceSettings, "config" | "shell" | "directories">;

/** How a service runs where no flag says otherwise. */
export interface ServiceDefaults {
  /** Null: it listens on its socket alone. */
  port: number | null;
  host: string;
  keepAlive: boolean;
  /** The key of TCP clients; undefined: there is none. */
  key: string | undefined;
  /** The file with the key; undefined: the shell has it, or there is none. */
  keySource: string | undefined;
  /** The file that the key belongs in. */
  keyFile: string;
}

/** The variable that holds the key of TCP clients. */
const KEY = "INKLING_API_KEY";

/**
 * Reads how the service of a workspace runs. The port is for config.yaml's own workspace: two services cannot share it. For the
 * key the shell wins, because `start --api-key` hands it to a background service in the environment; `service.env`, its former
 * place, comes last.
 */
export function readServiceDefaults({ config, shell, directories }: Settled): ServiceDefaults {
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

/** The file that only installed units read for the key. */
function formerKeyFile({ configDir }: Settled["directories"]): string {
  return PATHS.join(configDir, "service.env");
}

/** An error where the service cannot start because its port has no key, a warning where the key is in its former place. */
export function diagnoseService(settings: Settled): Diagnostic[] {
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
