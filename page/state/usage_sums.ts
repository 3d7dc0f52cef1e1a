// The data of the usage charts and tables: series by agent, bars by day, and the ticks of the axis.
import type { StatsBody } from "../../api/schemas/report_schemas.ts";

/** The measure of a chart. */
export type Measure = "cost_usd" | "total_tokens";

/** The number of series with their own color. */
export const COLOURS = 6;

/** The usage of one agent, or of all other agents (`agentId` null), over the whole period. */
export interface Series {
  agentId: string | null;
  executions: number;
  succeeded: number;
  failed: number;
  total_tokens: number;
  cost_usd: number | null;
}

/** One day with the values of the series, in their order. */
export interface Bar {
  date: string;
  values: number[];
  total: number;
}

/** Returns the series of the agents, highest value first. The default measure is tokens, which every model has. */
export function toSeries(stats: StatsBody, measure: Measure = "total_tokens"): Series[] {
  const byAgent = Map.groupBy(stats.usage, ({ agent_id }) => agent_id);
  return [...byAgent].map(([agentId, usage]) => ({ agentId, ...sum(usage) })).sort((a, b) =>
    (b[measure] ?? 0) - (a[measure] ?? 0) || b.total_tokens - a.total_tokens ||
    b.executions - a.executions
  );
}

/** Returns the series with their own color, with the remaining ones merged. */
export function withOthers(series: readonly Series[]): Series[] {
  if (series.length <= COLOURS) return [...series];
  const own = series.slice(0, COLOURS - 1);
  return [...own, { agentId: null, ...sum(series.slice(COLOURS - 1)) }];
}

/** Returns the color number of each series. A series has the same color as in the chart `beside`. */
export function toColours(series: readonly Series[], beside: readonly Series[] = []): number[] {
  const indexIn = ({ agentId }: Series) => beside.findIndex((one) => one.agentId === agentId);
  const shared = new Set(series.map(indexIn));
  const free = series.map((_, index) => index).filter((index) => !shared.has(index));
  return series.map((one) => indexIn(one) < 0 ? free.shift() ?? 0 : indexIn(one));
}

/** The column to sort the agents by. */
export type SortColumn = "agent" | "executions" | "succeeded" | "total_tokens" | "cost_usd";

/** Sorts the agents. Agents with an unknown value come last in both directions. */
export function sortSeries(
  series: readonly Series[],
  { by, isDescending, nameOf }: {
    by: SortColumn;
    isDescending: boolean;
    nameOf: (one: Series) => string;
  },
): Series[] {
  const direction = isDescending ? -1 : 1;
  if (by === "agent") {
    return series.toSorted((a, b) => direction * nameOf(a).localeCompare(nameOf(b)));
  }
  const valueOf = (one: Series) => by === "succeeded" ? shareOf(one) : one[by];
  return series.toSorted((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return direction * (left - right);
  });
}

/** Returns the share of ended executions that succeeded, or null if none has ended. */
export function shareOf(usage: { succeeded: number; failed: number }): number | null {
  const ended = usage.succeeded + usage.failed;
  return ended === 0 ? null : usage.succeeded / ended;
}

/** Returns a bar for each day. */
export function toBars(
  stats: StatsBody,
  { series, measure }: { series: readonly Series[]; measure: Measure },
): Bar[] {
  const others = series.findIndex(({ agentId }) => agentId === null);
  const indexOf = (agentId: string) => {
    const own = series.findIndex((one) => one.agentId === agentId);
    return own < 0 ? others : own;
  };
  const bars = new Map(stats.days.map((date) => [date, {
    date,
    total: 0,
    values: series.map(() => 0),
  }]));
  for (const usage of stats.usage) {
    const bar = bars.get(usage.date);
    const index = indexOf(usage.agent_id);
    if (bar === undefined || index < 0) continue;
    const value = usage[measure] ?? 0;
    bar.values[index] = (bar.values[index] ?? 0) + value;
    bar.total += value;
  }
  return [...bars.values()];
}

/** Adds up usage. The total cost is unknown only if every cost is. */
export function sum(usage: readonly Omit<Series, "agentId">[]): Omit<Series, "agentId"> {
  const total = (name: "executions" | "succeeded" | "failed" | "total_tokens") =>
    usage.reduce((before, one) => before + one[name], 0);
  const costs = usage.map(({ cost_usd }) => cost_usd).filter((cost) => cost !== null);
  return {
    executions: total("executions"),
    succeeded: total("succeeded"),
    failed: total("failed"),
    total_tokens: total("total_tokens"),
    cost_usd: costs.length === 0 ? null : costs.reduce((before, one) => before + one, 0),
  };
}

/** The maximum number of steps on the axis. */
const MOST_STEPS = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/** Returns the ticks from 0 to `highest` or the next round value, in steps of at least `smallest`: `[0, 5, 10, 15]`. */
export function toTicks(highest: number, smallest = 0): number[] {
  const rough = highest / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ROUND.map((one) => one * power).find((one) => one >= rough * (1 - 1e-9));
  const step = Math.max(round ?? 10 * power, smallest);
  const steps = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}
