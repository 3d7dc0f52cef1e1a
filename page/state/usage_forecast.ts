// Estimates the usage of the current month, and writes usage as CSV.
import type { StatsBody } from "../../api/schemas/report_schemas.ts";
import { DAY_MS } from "../../base/time_units.ts";

/** Returns the amount that a monthly budget reaches at `end` at the present rate, or null on the first day of the month. */
export function forecastBudget(
  used: number,
  { end, now }: { end: number; now: number },
): number | null {
  const last = new Date(end - DAY_MS / 2);
  const days = new Date(last.getFullYear(), last.getMonth() + 1, 0).getDate();
  const elapsed = now - (end - days * DAY_MS);
  return elapsed < DAY_MS ? null : used * days * DAY_MS / elapsed;
}

/**
 * Returns the cost of the current month so far, and the cost of the whole month if its days cost the same. Null if the
 * statistics do not include its first day.
 */
export function forecastMonth(
  { days, usage }: Pick<StatsBody, "days" | "usage">,
): { used: number; whole: number } | null {
  const today = days.at(-1) ?? "";
  const month = today.slice(0, 7);
  if (!days.includes(`${month}-01`)) return null;
  const used = usage.filter(({ date }) => date.startsWith(month))
    .reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  const [year = 0, number = 0] = month.split("-").map(Number);
  const length = new Date(year, number, 0).getDate();
  return { used, whole: used / Number(today.slice(8)) * length };
}

const COLUMNS = [
  ...["executions", "succeeded", "failed", "duration_ms", "input_tokens", "output_tokens"],
  ...["total_tokens", "cost_usd"],
] as const;

/** Returns the usage as CSV with one line for each day and each agent, model or trigger. */
export function toCsv({ usage }: Pick<StatsBody, "usage">, by: string): string {
  const lines = usage.map((one) => {
    const values: Readonly<Record<string, unknown>> = one;
    return [one.date, one.agent_id, ...COLUMNS.map((name) => String(values[name] ?? ""))];
  });
  return [["date", by, ...COLUMNS], ...lines].map((line) => `${line.map(quote).join(",")}\r\n`)
    .join("");
}

/** Quotes a value where CSV needs it. A leading `=`, `+`, `-` or `@` would be a formula in a spreadsheet. */
function quote(value: string): string {
  const text = /^[=+\-@]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
