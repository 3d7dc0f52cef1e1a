// Counts, prices and sizes as a person reads them.
export { formatPlural } from "../../base/text/plural.ts";

/** `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** US dollars to four places, `$0.0012`; above a dollar to two; nothing is `$0`. */
export function formatCost(usd: number): string {
  return usd === 0 ? "$0" : `$${usd.toFixed(usd >= 1 ? 2 : 4)}`;
}

const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** `512 B`, `1.5 kB`, `20 MB`; a kB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit: typeof UNITS[number] = "kB";
  for (const next of UNITS) {
    unit = next;
    value /= 1_000;
    // What would round to a thousand is one of the next unit.
    if (value < 999.5) break;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
