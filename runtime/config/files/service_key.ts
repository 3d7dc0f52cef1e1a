// Where the key of TCP clients is: in the shell, else in the configuration folder's `.env`.
import { type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import { PATHS } from "../../../base/plain_path.ts";
import type { WorkspaceSettings } from "../settings.ts";
import { EnvironmentFiles } from "./environment_files.ts";

/** The variable that holds the key of TCP clients. */
export const SERVICE_KEY = "INKLING_API_KEY";

/** The key of TCP clients, and its place. */
export interface ServiceKey {
  value: string;
  /** The file that holds it; undefined: the shell. */
  file: string | undefined;
  /** Whether that file is `service.env`, which only an installed unit reads. */
  isMisplaced: boolean;
}

/**
 * Finds the key of TCP clients. The shell wins: `start --api-key` hands its key to a background service in the environment.
 * A key in `service.env`, its former place, is found last. Undefined: there is none.
 */
export function findServiceKey(
  { shell, directories: { configDir, configEnvFile } }: Pick<
    WorkspaceSettings,
    "shell" | "directories"
  >,
): ServiceKey | undefined {
  const former = PATHS.join(configDir, "service.env");
  for (const file of [undefined, configEnvFile, former]) {
    const variables = file === undefined
      ? new EnvironmentFiles({ files: [], shell })
      : new EnvironmentFiles({ files: [file], shell: {} });
    const value = variables.get(SERVICE_KEY)?.trim() ?? "";
    if (value !== "") return { value, file, isMisplaced: file === former };
  }
  return undefined;
}

/** An error where the service cannot start because its port has no key, a warning where the key is in its former place. */
export function diagnoseServiceKey(
  settings: Pick<WorkspaceSettings, "config" | "shell" | "directories">,
): Diagnostic[] {
  const { config: { path, service }, directories: { configEnvFile } } = settings;
  const key = findServiceKey(settings);
  if (key === undefined && service.port !== null) {
    const message =
      `service.port needs a key, and ${SERVICE_KEY} is not set: the service does not start`;
    const hint = `add the line ${SERVICE_KEY}=<a long random text> to ${configEnvFile}`;
    return [{ ...errorAtStart(path, message), hint }];
  }
  if (key?.file === undefined || !key.isMisplaced) return [];
  const message = `${SERVICE_KEY} is in a file that only an installed unit reads`;
  const hint = `move the line to ${configEnvFile}`;
  return [{ ...errorAtStart(key.file, message), severity: "warning", hint }];
}
