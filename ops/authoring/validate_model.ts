// Checks an agent's model and its fallbacks: endpoint, key, name and price.
import type { Config } from "../../runtime/config/config.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import type { Environment } from "../../runtime/config/files/environment.ts";
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { modelChain } from "../../runtime/config/providers.ts";
import type { YamlPath } from "../../runtime/config/files/yaml_document.ts";
import type { Agent, ModelSettings } from "../../runtime/agents/agent.ts";

/** The properties of a model's endpoint that validation reads. */
export interface ValidatedEndpoint {
  /** The environment variable of the key. Null if the model uses no key. */
  keyVariable: string | null;
  keyRequired: boolean;
  /** The host that receives a provider's key although it is not the provider's own host. Null otherwise. */
  foreignHost: string | null;
}

/** The functions and settings that a model is checked with. */
export interface ModelSurroundings {
  directories: Pick<Directories, "workspaceEnvFile">;
  config: Pick<Config, "pinKeys" | "budget">;
  environment: Environment;
  /** Returns a model's endpoint. Throws an Error with a readable message if the settings give none. */
  modelEndpoint: (settings: ModelSettings) => ValidatedEndpoint;
  /** Returns the names of a provider's models, or undefined if any name may be valid. */
  modelsOf: (provider: string) => readonly string[] | undefined;
  /** Returns true if the model's price is known. */
  hasPrice: (model: ModelSettings) => Promise<boolean>;
}

/** Returns the problems of the agent's models as diagnostics of the agent file. */
export async function diagnoseModel(
  agent: Agent,
  file: DiagnosedFile,
  around: ModelSurroundings,
): Promise<Diagnostic[]> {
  if (agent.model === undefined) {
    return [diagnose(file, [], {
      message: "No model is configured",
      hint:
        "give the agent a model, set defaults.provider and defaults.model in config.yaml, or run inkling setup",
    })];
  }
  const found = modelChain(agent.model).map(async (model, index) => {
    const path = index === 0 ? ["model"] : ["model", "fallback", index - 1];
    return [
      ...checkModel({ model, path }, file, around),
      ...checkModelName({ model, path }, file, around),
      ...await checkPrice({ ...agent, model }, file, around),
    ];
  });
  return (await Promise.all(found)).flat();
}

interface PlacedModel {
  model: ModelSettings;
  /** The position of the model's settings in the agent file. */
  path: YamlPath;
}

function checkModel(
  { model, path }: PlacedModel,
  file: DiagnosedFile,
  around: ModelSurroundings,
): Diagnostic[] {
  const at = [...path, "provider"];
  const id = `${model.provider}/${model.name}`;
  let endpoint: ValidatedEndpoint;
  try {
    endpoint = around.modelEndpoint(model);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [diagnose(file, at, { message: error.message })];
  }
  const { keyVariable, keyRequired, foreignHost } = endpoint;
  if (keyVariable === null) return [];
  if ((around.environment.get(keyVariable)?.trim() ?? "") === "") {
    return keyRequired
      ? [diagnose(file, at, {
        code: `missing_key:${keyVariable}`,
        message: `The key of model ${id} is missing: ${keyVariable} is not set`,
        hint: `add the line ${keyVariable}=<your key> to ${around.directories.workspaceEnvFile}`,
      })]
      : [];
  }
  if (foreignHost === null) return [];
  const { pinKeys } = around.config;
  return [diagnose(file, [...path, "base_url"], {
    severity: pinKeys ? "error" : "warning",
    message: `${keyVariable} goes to ${foreignHost}, which is not ${model.provider}'s own host` +
      (pinKeys ? ", and defaults.pin_keys forbids that" : ""),
    hint: "give the endpoint a provider name of its own, with a key of its own",
  })];
}

function checkModelName(
  { model, path }: PlacedModel,
  file: DiagnosedFile,
  around: ModelSurroundings,
): Diagnostic[] {
  const message = describeUnknownModel(model, around.modelsOf(model.provider));
  return message === undefined ? [] : [diagnose(file, [...path, "name"], { message })];
}

/**
 * Returns the reason why a provider has no model with this name, as a sentence. Undefined if the provider has the model, or
 * if `known` is undefined because any name may be valid.
 */
export function describeUnknownModel(
  { provider, name }: Pick<ModelSettings, "provider" | "name">,
  known: readonly string[] | undefined,
): string | undefined {
  if (known === undefined || known.includes(name)) return undefined;
  return `Unknown model "${name}": ${provider} has ${known.join(", ")}`;
}

/** Warns about a model without a price if a dollar limit applies to the agent. */
async function checkPrice(
  agent: Agent,
  file: DiagnosedFile,
  around: ModelSurroundings,
): Promise<Diagnostic[]> {
  const { model, settings } = agent;
  if (model === undefined || await around.hasPrice(model)) return [];
  const id = `${model.provider}/${model.name}`;
  const bounded = dollarBudget(agent, around);
  if (bounded !== undefined && agent.unpriced === "refuse") {
    return [diagnose(file, bounded.at, {
      message: `No price is known for ${id}: ${bounded.budget} refuses all of its calls`,
      hint: `add a price for ${id} to pricing.yaml, or set unpriced: allow`,
    })];
  }
  if (settings.maxCostUsd === null) return [];
  return [diagnose(file, ["settings", "max_cost_usd"], {
    severity: "warning",
    message:
      `No price is known for ${id}, so max_cost_usd has no effect unless the endpoint reports costs`,
    hint: `add a price for ${id} to pricing.yaml`,
  })];
}

/**
 * Returns the dollar budget that the agent's calls count toward, and the position in the agent file for a message about it:
 * the budget or, for the workspace's budget, the model's name. Undefined without a dollar budget.
 */
export function dollarBudget(
  { budget: { perDay, perMonth, tree } }: Pick<Agent, "budget">,
  { config: { budget: shared } }: Pick<ModelSurroundings, "config">,
): { budget: string; at: string[] } | undefined {
  if ([perDay, perMonth, tree].some((limit) => limit !== null)) {
    return { budget: "its budget in dollars", at: ["budget"] };
  }
  return [shared.perDay, shared.perMonth].some((limit) => limit !== null)
    ? { budget: "the workspace's budget in dollars", at: ["model", "name"] }
    : undefined;
}
