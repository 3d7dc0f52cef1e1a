// Costs in US dollars, added without the noise of binary fractions: 0.1 and 0.2 are 0.3.

/** The decimal places of a cost: enough for a hundredth of the price of one token of the cheapest models. */
export const COST_PLACES = 12;

/** Returns a cost without noise. */
export function roundCost(usd: number): number {
  return Number(usd.toFixed(COST_PLACES));
}

/** Returns the sum of two costs; null when both are unknown. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : roundCost((a ?? 0) + (b ?? 0));
}
