// Writes counts, and counts with their nouns.

/** Returns a count with thousands separators: `12,345`. */
export function formatCount(count: number): string {
  // The first use of locale data takes ten milliseconds, and most counts have no separator.
  return Number.isInteger(count) && Math.abs(count) < 1_000
    ? String(count)
    : count.toLocaleString("en-US");
}

/** Returns `1 agent`, `2 agents` or `1,234 agents`. */
export function formatPlural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
