// The model that writes agent files: the default one, where it can be called and writes.
import type { ModelSettings } from "../agents/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { modelEndpoint } from "../models/endpoint.ts";
import { type Model, ModelError } from "../models/model.ts";
import { resolveModel } from "../models/resolve.ts";
import { withRetry } from "../models/retry.ts";

/** Its id, `provider/name`; undefined where none is configured, it writes nothing, or its key is missing. */
export function findDraftingModel(settings: WorkspaceSettings): string | undefined {
  const model = defaultModel(settings);
  // Its models play scripts: they can write no file.
  if (model === undefined || model.provider === "demo") return undefined;
  try {
    const { id, keyVariable, keyRequired } = modelEndpoint(model);
    const key = keyVariable === null ? "" : settings.environment.get(keyVariable) ?? "";
    return keyRequired && key.trim() === "" ? undefined : id;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

/** Opens it, to be called again after failures that may pass. Throws ModelError where it cannot be called. */
export async function openDraftingModel(
  settings: WorkspaceSettings,
  clock: Clock,
): Promise<Model> {
  const { config, directories, environment } = settings;
  const log = { write: () => {} };
  const model = await resolveModel(defaultModel(settings), {
    environment,
    environmentFile: directories.workspaceEnvFile,
    clock,
    pinKeys: config.pinKeys,
    log,
  });
  return withRetry(model, { clock, timeoutMs: config.defaults.timeout * 1_000, log });
}

function defaultModel({ config }: WorkspaceSettings): ModelSettings | undefined {
  const { provider, model: name, baseUrl } = config.defaults;
  if (provider === undefined || name === undefined) return undefined;
  return { provider, name, ...(baseUrl !== undefined && { baseUrl }), streamUsage: true };
}
