// Finds keys that cannot work and secret files that other users can read. No finding contains a key.
import type { Agent } from "../../runtime/agents/agent.ts";
import { findProvider, modelChain, PROVIDERS, toModel } from "../../runtime/config/providers.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { withDatabaseSecrets } from "../../runtime/config/database_settings.ts";
import { EnvironmentFiles } from "../../runtime/config/files/environment_files.ts";
import { makePrivate } from "../../base/files/private_file.ts";
import { ifThere } from "../../base/files/missing.ts";
import { basename, join } from "../../base/plain_path.ts";
import { ifUsable, modelEndpoint } from "../../runtime/models/endpoint.ts";
import { withServerSecrets } from "../../runtime/tools/mcp/servers_file/server_secrets.ts";
import type { Finding } from "./finding.ts";

/** Matches the placeholders that documentation uses in place of a key. */
const PLACEHOLDER = /^(<.*>|\.{3,}|…|x{3,}|changeme|your[-_ ].*|.*your[-_ ]?(api[-_ ]?)?key.*)$/i;

/**
 * Checks each key of the default model and of the agents' models once. Missing keys that `known` contains are not reported
 * again.
 */
export function checkKeys(
  agents: readonly Agent[],
  settings: WorkspaceSettings,
  known: readonly Finding[],
): Finding[] {
  const seen = new Set<string>();
  const models = [
    ...agents.map(({ model }) => model),
    toModel(undefined, settings.config.defaults),
  ];
  return models.flatMap(modelChain).flatMap((model) => {
    const endpoint = ifUsable(() => modelEndpoint(model));
    const variable = endpoint?.keyVariable ?? null;
    if (endpoint === undefined) return [];
    if (variable === null || seen.has(variable)) return [];
    seen.add(variable);
    const value = settings.environment.get(variable)?.trim() ?? "";
    if (value !== "") {
      const fault = describeShape(value, model.provider);
      if (fault === undefined) return [];
      const remedy = `write ${variable}=<your key> in ${placeOf(variable, settings)}`;
      return [{ severity: "error", subject: variable, problem: `The key ${fault}`, remedy }];
    }
    if (!endpoint.keyRequired || known.some(({ code }) => code === `missing_key:${variable}`)) {
      return [];
    }
    return [{
      severity: "error",
      subject: basename(settings.config.path),
      problem: `The key of the default model ${endpoint.id} is missing: ${variable} is not set`,
      remedy: `add the line ${variable}=<your key> to ${settings.directories.workspaceEnvFile}`,
    }];
  });
}

/**
 * Returns the problem of a key as a predicate whose subject is the key, such as `contains a quotation mark`. Undefined if
 * the key may be valid.
 */
function describeShape(key: string, provider: string): string | undefined {
  if (PLACEHOLDER.test(key)) return "is a placeholder, not a key";
  if (/^bearer\s/i.test(key)) return 'begins with "Bearer", which is not part of it';
  if (/["'`]/.test(key)) return "contains a quotation mark";
  if (/[^\x21-\x7e]/.test(key)) return "contains a space or another character that no key has";
  const owner = Object.entries(PROVIDERS)
    .find(([, { keyPattern }]) => keyPattern?.test(key))?.[0];
  const isKnown = findProvider(provider)?.keyPattern !== undefined;
  if (owner === undefined || owner === provider || !isKnown) return undefined;
  return `looks like a key of ${owner}, but is sent to ${provider}`;
}

function placeOf(variable: string, { directories }: WorkspaceSettings): string {
  const { workspaceEnvFile, configEnvFile } = directories;
  const file = [workspaceEnvFile, configEnvFile].find((path) =>
    (new EnvironmentFiles({ files: [path], shell: {} }).get(variable) ?? "") !== ""
  );
  return file ?? `${workspaceEnvFile}; at present it is in the environment`;
}

/** Reports files that contain secrets and that other users may open. */
export function checkKeyFiles(
  { configDir, settings }: { configDir: string; settings: WorkspaceSettings | undefined },
): Finding[] {
  const environmentFiles = [
    ...settings === undefined ? [] : [settings.directories.workspaceEnvFile],
    ...[".env", "service.env"].map((name) => join(configDir, name)),
  ];
  const withSecrets = environmentFiles.filter((path) =>
    new EnvironmentFiles({ files: [path], shell: {} }).secrets().length > 0
  );
  const servers = settings?.directories.mcpServersFile;
  if (servers !== undefined) {
    const written = withServerSecrets(() => [], { path: servers, lookup: () => undefined });
    if (written().length > 0) withSecrets.push(servers);
  }
  if (settings !== undefined) {
    const { path, database } = settings.config;
    if (withDatabaseSecrets(() => [], [database])().length > 0) withSecrets.push(path);
  }
  return withSecrets.flatMap((path): Finding[] => {
    const mode = ifThere(() => Deno.statSync(path).mode) ?? 0;
    if ((mode & 0o077) === 0) return [];
    return [{
      severity: "warning",
      subject: basename(path),
      problem: `Other users may open this file with ${
        path === settings?.config.path ? "a password" : "keys"
      }: ${path}`,
      remedy: `chmod 600 ${path}`,
      repair() {
        makePrivate(path);
        const isOpen = ((ifThere(() => Deno.lstatSync(path).mode) ?? 0) & 0o077) !== 0;
        if (isOpen) throw new Deno.errors.PermissionDenied(`Its mode cannot be changed: ${path}`);
        return `${path} is now readable only by you`;
      },
    }];
  });
}
