// Calculates the data of the usage charts and tables: series by agent, bars by day, and the ticks of the axis.
import type { StatsBody } from "../../api/schemas/report_schemas.ts";

/** The quantity that a chart shows. */
export type Measure = "cost_usd" | "total_tokens";

/** The number of colors, and so the maximum number of series in a chart. */
export const COLOURS = 6;

/** The sums of the executions of one agent or of several. */
export type Usage = Pick<
  StatsBody["usage"][number],
  "executions" | "succeeded" | "failed" | "total_tokens" | "cost_usd"
>;

/** The usage of one agent over the whole period. `agentId` is null for the sum of all agents that share a color. */
export interface Series extends Usage {
  agentId: string | null;
}

/** A day with the value of each series, in the order of the series. */
export interface Bar {
  date: string;
  values: number[];
  total: number;
}

/**
 * Returns the series of the agents, highest value first. The default measure is tokens, because every model reports them.
 */
export function toSeries(stats: StatsBody, measure: Measure = "total_tokens"): Series[] {
  const byAgent = Map.groupBy(stats.usage, ({ agent_id }) => agent_id);
  return [...byAgent].map(([agentId, usage]) => ({ agentId, ...sum(usage) })).sort((a, b) =>
    (b[measure] ?? 0) - (a[measure] ?? 0) || b.total_tokens - a.total_tokens ||
    b.executions - a.executions
  );
}

/**
 * Returns at most COLOURS series. If there are more, the last series is the sum of the series without a color of their own.
 */
export function withOthers(series: readonly Series[]): Series[] {
  if (series.length <= COLOURS) return [...series];
  const own = series.slice(0, COLOURS - 1);
  return [...own, { agentId: null, ...sum(series.slice(COLOURS - 1)) }];
}

/** Returns the color number of each series. A series that also occurs in the chart `beside` gets the same color. */
export function toColours(series: readonly Series[], beside: readonly Series[] = []): number[] {
  const indexIn = ({ agentId }: Series) => beside.findIndex((one) => one.agentId === agentId);
  const shared = new Set(series.map(indexIn));
  const free = series.map((_, index) => index).filter((index) => !shared.has(index));
  return series.map((one) => indexIn(one) < 0 ? free.shift() ?? 0 : indexIn(one));
}

/** The column by which the agents are sorted. */
export type SortColumn = "agent" | "executions" | "succeeded" | "total_tokens" | "cost_usd";

/** Returns the series in the order of a column. Agents with an unknown value are last in both directions. */
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

/** Returns a bar for each day of the period. */
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

/** Returns the sum of the usage. The cost of the sum is null only if all costs are null. */
export function sum(usage: readonly Usage[]): Usage {
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

/**
 * Returns the ticks of the axis: from 0 to `highest` or the next round value, in steps of at least `smallest`, for example
 * `[0, 5, 10, 15]`.
 */
export function toTicks(highest: number, smallest = 0): number[] {
  const rough = highest / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ROUND.map((one) => one * power).find((one) => one >= rough * (1 - 1e-9));
  const step = Math.max(round ?? 10 * power, smallest);
  const steps = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}
