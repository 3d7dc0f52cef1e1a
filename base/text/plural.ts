// Counted things as people write them.

/** `1 agent`, `2 agents`, `1,234 agents`. */
export function formatPlural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
