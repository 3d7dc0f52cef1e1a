// Formats counts, prices and sizes for people.
export { formatCount, formatPlural } from "../../base/text/plural.ts";

/** Formats US dollars: with four decimal places below one dollar (`$0.0012`), otherwise with two. Zero is `$0`. */
export function formatCost(usd: number): string {
  return usd === 0 ? "$0" : `$${usd.toFixed(usd >= 1 ? 2 : 4)}`;
}

const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** Formats a number of bytes, such as `512 B`, `1.5 kB` or `20 MB`. A kB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit: typeof UNITS[number] = "kB";
  for (const next of UNITS) {
    unit = next;
    value /= 1_000;
    // A value that would be rounded to 1,000 uses the next unit.
    if (value < 999.5) break;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
