// Opens the model that an agent's settings name: finds its address and key, and reports missing settings.
import type { Context } from "../../config/context.ts";
import type { ModelSettings } from "../../agents/agent.ts";
import type { Config } from "../../config/config.ts";
import type { Directories } from "../../config/directories.ts";
import type { Environment } from "../../config/files/environment.ts";
import { type ModelEndpoint, modelEndpoint } from "../endpoint.ts";
import { type Model, refusal } from "../model.ts";
import type { ModelConnection } from "../providers/provider_model.ts";
import { openPaidModel } from "./paid_model.ts";
import type { CallBilling } from "./spending.ts";

/** The sources of the address and key of a model, and the collaborators of its adapter. */
export interface ModelSources extends Pick<Context, "clock" | "log"> {
  settings: {
    environment: Environment;
    directories: Pick<Directories, "workspaceEnvFile">;
    config: Pick<Config, "pinKeys">;
  };
}

/**
 * Opens the model that the settings name. Throws a ModelError that is not retryable if there are no settings, the endpoint
 * is invalid, or the key is missing. Throws the same error if the key of a known provider would be sent to another host.
 */
export async function resolveModel(
  settings: ModelSettings | undefined,
  sources: ModelSources,
  billing: Omit<CallBilling, "model">,
): Promise<Model> {
  const model = requireModel(settings);
  const createModel = await openPaidModel({
    ...resolveConnection(model, sources),
    clock: sources.clock,
    remark: (text) => sources.log.write("info", text),
  });
  return createModel({ ...billing, model });
}

/** Returns the connection of a model, from the present files and environment. Throws as resolveModel() does. */
export function resolveConnection(
  settings: ModelSettings,
  sources: Omit<ModelSources, "clock">,
): ModelConnection {
  const endpoint = modelEndpoint(settings);
  const apiKey = findKey(settings, endpoint, sources);
  if (apiKey !== undefined) checkForeignHost(endpoint, sources);
  const { id, baseUrl, adapter } = endpoint;
  const { name, streamUsage, contextWindow } = settings;
  return {
    adapter,
    id,
    name,
    streamUsage,
    baseUrl,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** Returns the settings. Throws ModelError if they are undefined. */
export function requireModel(settings: ModelSettings | undefined): ModelSettings {
  if (settings !== undefined) return settings;
  throw refusal(
    "No model is configured: give the agent a `model`, or set `defaults.provider` and " +
      "`defaults.model` in config.yaml",
  );
}

function findKey(
  settings: ModelSettings,
  endpoint: ModelEndpoint,
  sources: Omit<ModelSources, "clock">,
): string | undefined {
  const { keyVariable, keyRequired, id } = endpoint;
  if (keyVariable === null) return undefined;
  const key = sources.settings.environment.get(keyVariable)?.trim() ?? "";
  if (key === "") {
    if (!keyRequired) return undefined;
    const hint = settings.baseUrl === undefined || settings.provider === "local"
      ? ""
      : " (an endpoint on this machine that needs no key: use provider `local`)";
    throw refusal(
      `Cannot use model ${id}: ${keyVariable} is not set; add the line ` +
        `${keyVariable}=<your key> to ${sources.settings.directories.workspaceEnvFile}${hint}`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw refusal(
      `Cannot use model ${id}: the value of ${keyVariable} is not a valid key (it has spaces, line ends or ` +
        `characters outside ASCII); correct it in ${sources.settings.directories.workspaceEnvFile}`,
    );
  }
  return key;
}

function checkForeignHost(
  endpoint: ModelEndpoint,
  sources: Omit<ModelSources, "clock">,
): void {
  const { foreignHost, keyVariable, id } = endpoint;
  if (foreignHost === null) return;
  const fact = `${keyVariable} goes to ${foreignHost}, which is not its provider's own host`;
  if (sources.settings.config.pinKeys) {
    throw refusal(
      `Cannot use model ${id}: ${fact}, and defaults.pin_keys is set; give the endpoint a provider ` +
        `name and a key of its own`,
    );
  }
  sources.log.write("warn", `Model ${id}: ${fact}`, { baseUrl: endpoint.baseUrl });
}
