// Looks for the price of an agent's model where a broken entry, or a broken file, keeps it from being used. For `validate`.
import type { Agent } from "../agents/agent.ts";
import type { ResourceProblem } from "../agents/validation/validate_resources.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { findBrokenPrice } from "../models/broken_price.ts";
import type { PriceList } from "../models/price_file.ts";
import type { ModelPrices } from "../models/pricing.ts";

/** Warnings that name the broken entry of the agent's model or, where `max_cost_usd` needs a price, the broken files. */
export async function inspectPrice(
  { model, settings }: Pick<Agent, "model" | "settings">,
  { prices, lists }: { prices: Pick<ModelPrices, "hasPrice">; lists: readonly PriceList[] },
): Promise<ResourceProblem[]> {
  if (model === undefined) return [];
  const isLimited = settings.maxCostUsd !== null;
  const isKnown = await prices.hasPrice(model);
  const broken = findBrokenPrice(lists, model);
  if (broken !== undefined) {
    const consequence = isKnown
      ? "another source's price is used"
      : isLimited
      ? "max_cost_usd is not enforced, unless the endpoint reports costs"
      : "the cost will be shown as unknown";
    return [{
      field: "model",
      severity: "warning",
      message: `The price of ${model.provider}/${model.name} is broken: ${
        formatDiagnostic(broken)
      }`,
      hint: `until it is fixed, ${consequence}`,
    }];
  }
  if (isKnown || !isLimited) return [];
  return lists.flatMap(({ failure }): ResourceProblem[] =>
    failure === undefined ? [] : [{
      field: "model",
      severity: "warning",
      message: `No price can be read, so max_cost_usd is not enforced: ${
        formatDiagnostic(failure)
      }`,
    }]
  );
}
