// Validates the token counts of endpoints.

/** The maximum valid count. Sums of a few counts stay exact. */
const MOST_TOKENS = 1_000_000_000_000;

/** Returns the count if it is a whole number of at least 0, else 0. */
export function toTokenCount(value: unknown): number {
  const isCount = typeof value === "number" && value > 0 && value <= MOST_TOKENS;
  return isCount ? Math.round(value) : 0;
}
