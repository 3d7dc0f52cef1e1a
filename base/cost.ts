// Adds costs in US dollars without the errors of binary fractions, so that the sum of 0.1 and 0.2 is 0.3.

/** The number of decimal places of a cost. They suffice for a hundredth of the price of a token of the cheapest models. */
export const COST_PLACES = 12;

/** Returns a cost rounded to COST_PLACES. */
export function roundCost(usd: number): number {
  return Number(usd.toFixed(COST_PLACES));
}

/** Returns the sum of two costs. An unknown cost (null) counts as 0; the sum is null if both are unknown. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : roundCost((a ?? 0) + (b ?? 0));
}
