// Why a model has no price although the pricing files name it: the entry is broken. For `validate`.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { PriceList } from "./price_file.ts";
import { type PricedModel, priceKeysOf } from "./pricing.ts";

/**
 * The error of the entry that would give the model's price. Undefined where no entry would, or a valid one does. `lists`
 * and their keys are searched in the order of ModelPrices.
 */
export function findBrokenPrice(
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
