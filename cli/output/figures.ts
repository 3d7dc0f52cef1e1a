// Counts and prices as a person reads them.

/** `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** US dollars to four places, `$0.0012`; above a dollar to two. */
export function formatCost(usd: number): string {
  return `$${usd.toFixed(usd >= 1 ? 2 : 4)}`;
}

/** `1 agent`, `2 agents`. */
export function formatPlural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
