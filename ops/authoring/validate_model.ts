// Checks an agent's model and its fallbacks: endpoint, key, name and price.
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import { hasLimit } from "../../runtime/config/agent_settings.ts";
import { modelChain } from "../../runtime/config/providers.ts";
import type { YamlPath } from "../../runtime/config/files/yaml_document.ts";
import type { Agent, ModelSettings } from "../../runtime/agents/agent.ts";
import { modelsOf } from "../../runtime/models/demo/demo_names.ts";
import { type ModelEndpoint, modelEndpoint } from "../../runtime/models/endpoint.ts";
import { ModelError } from "../../runtime/models/model.ts";
import type { PriceList } from "../../runtime/models/price_file.ts";
import { type PricedModel, priceKeysOf } from "../../runtime/models/pricing.ts";
import type { ValidationContext } from "./validation_context.ts";

/** Returns the problems of the agent's models as diagnostics of the agent file. */
export async function diagnoseModel(
  agent: Agent,
  file: DiagnosedFile,
  around: ValidationContext,
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
    const message = describeUnknownModel(model);
    return [
      ...checkModel({ model, path }, file, around),
      ...(message === undefined ? [] : [diagnose(file, [...path, "name"], { message })]),
      ...await checkPrice({ ...agent, model }, file, around),
    ];
  });
  return (await Promise.all(found)).flat();
}

/** Checks the address and the key of a model. `path` is the position of its settings in the agent file. */
function checkModel(
  { model, path }: { model: ModelSettings; path: YamlPath },
  file: DiagnosedFile,
  around: ValidationContext,
): Diagnostic[] {
  const at = [...path, "provider"];
  const id = `${model.provider}/${model.name}`;
  let endpoint: ModelEndpoint;
  try {
    endpoint = modelEndpoint(model);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
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

/**
 * Returns the reason why a provider has no model with this name, as a sentence. Undefined if the provider has the model, or
 * if any name may be valid.
 */
export function describeUnknownModel(
  { provider, name }: Pick<ModelSettings, "provider" | "name">,
): string | undefined {
  const known = modelsOf(provider);
  if (known === undefined || known.includes(name)) return undefined;
  return `Unknown model "${name}": ${provider} has ${known.join(", ")}`;
}

/** Reports a model without a price, or with a broken one, if a dollar limit applies to the agent. */
async function checkPrice(
  agent: Agent,
  file: DiagnosedFile,
  { prices, config }: ValidationContext,
): Promise<Diagnostic[]> {
  const { model, settings } = agent;
  if (model === undefined) return [];
  const isLimited = settings.maxCostUsd !== null;
  const refusing = agent.unpriced === "refuse" ? dollarBudget(agent, config) : undefined;
  if (!isLimited && refusing === undefined) return [];
  const isKnown = await prices.hasPrice(model);
  const id = `${model.provider}/${model.name}`;
  const lists = prices.lists();
  const broken = findBrokenPrice(lists, model);
  if (broken !== undefined) {
    const consequence = isKnown
      ? "another source's price is used"
      : refusing !== undefined
      ? `${refusing.budget} refuses all calls`
      : "max_cost_usd is not enforced, unless the endpoint reports costs";
    return [diagnose(file, ["model"], {
      severity: "warning",
      message: `The price of ${id} is broken: ${formatDiagnostic(broken)}`,
      hint: `until it is fixed, ${consequence}`,
    })];
  }
  if (isKnown) return [];
  const unread = lists.flatMap(({ failure }) => {
    if (failure === undefined || !isLimited) return [];
    const message = `No price can be read, so max_cost_usd is not enforced: ${
      formatDiagnostic(failure)
    }`;
    return [diagnose(file, ["model"], { severity: "warning", message })];
  });
  if (refusing !== undefined) {
    return [
      ...unread,
      diagnose(file, refusing.at, {
        message: `No price is known for ${id}: ${refusing.budget} refuses all of its calls`,
        hint: `add a price for ${id} to pricing.yaml, or set unpriced: allow`,
      }),
    ];
  }
  return [
    ...unread,
    diagnose(file, ["settings", "max_cost_usd"], {
      severity: "warning",
      message:
        `No price is known for ${id}, so max_cost_usd has no effect unless the endpoint reports costs`,
      hint: `add a price for ${id} to pricing.yaml`,
    }),
  ];
}

/**
 * Returns the dollar budget that the agent's calls count toward, and the position in the agent file for a message about it:
 * the budget or, for the workspace's budget, the model's name. Undefined without a dollar budget.
 */
function dollarBudget(
  { budget: own }: Agent,
  { budget: shared }: ValidationContext["config"],
): { budget: string; at: string[] } | undefined {
  if (hasLimit(own)) return { budget: "its budget in dollars", at: ["budget"] };
  return hasLimit(shared)
    ? { budget: "the workspace's budget in dollars", at: ["model", "name"] }
    : undefined;
}

/**
 * Returns the error of the price entry that applies to the model. Undefined if that entry is valid or does not exist.
 * Searches `lists` and their keys in the order of ModelPrices.
 */
function findBrokenPrice(
  lists: readonly PriceList[],
  model: Pick<PricedModel, "provider" | "name">,
): Diagnostic | undefined {
  const keys = priceKeysOf(model);
  for (const { prices, broken } of lists) {
    for (const key of keys) {
      const error = broken.get(key);
      if (error !== undefined) return error;
      if (prices.has(key)) return undefined;
    }
  }
  return undefined;
}
