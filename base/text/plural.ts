// Writes counts with their nouns.

/** Returns `1 agent`, `2 agents` or `1,234 agents`. */
export function formatPlural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
