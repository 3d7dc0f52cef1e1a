// A number of tokens as an endpoint reports it: endpoints report anything.

/** More than any reply can have; anything above is not a count. Sums of a few stay exact. */
const MOST_TOKENS = 1_000_000_000_000;

/** The count, a whole number of at least 0; 0 for anything else. */
export function toTokenCount(value: unknown): number {
  const isCount = typeof value === "number" && value > 0 && value <= MOST_TOKENS;
  return isCount ? Math.round(value) : 0;
}
