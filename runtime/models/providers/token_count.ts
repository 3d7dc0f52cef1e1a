// Validates the token counts of endpoints.

/** The maximum valid count. Sums of several such counts are exact. */
const MOST_TOKENS = 1_000_000_000_000;

/** Returns the value if it is a valid count (a whole number from 0), otherwise 0. */
export function toTokenCount(value: unknown): number {
  const isCount = typeof value === "number" && value > 0 && value <= MOST_TOKENS;
  return isCount ? Math.round(value) : 0;
}
