// The usage by day and agent as a chart stacks it: few agents with a colour of their own, the others together; and the scale
// of the chart.
import type { StatsBody } from "../../api/schemas/report_schemas.ts";

/** What is measured. */
export type Measure = "cost_usd" | "total_tokens";

/** Agents that get a colour of their own. */
export const COLOURS = 6;

/** One agent, or all others together (`agentId` null), over the whole time. */
export interface Series {
  agentId: string | null;
  executions: number;
  succeeded: number;
  failed: number;
  total_tokens: number;
  cost_usd: number | null;
}

/** One day: the values of the series, in their order. */
export interface Bar {
  date: string;
  values: number[];
  total: number;
}

/** The agents, those with most of the measure first; without one by tokens, because every model has them. */
export function toSeries(stats: StatsBody, measure: Measure = "total_tokens"): Series[] {
  const byAgent = Map.groupBy(stats.usage, ({ agent_id }) => agent_id);
  return [...byAgent].map(([agentId, usage]) => ({ agentId, ...sum(usage) })).sort((a, b) =>
    (b[measure] ?? 0) - (a[measure] ?? 0) || b.total_tokens - a.total_tokens ||
    b.executions - a.executions
  );
}

/** The series that get colours: the first ones, and the rest as one. */
export function withOthers(series: readonly Series[]): Series[] {
  if (series.length <= COLOURS) return [...series];
  const own = series.slice(0, COLOURS - 1);
  return [...own, { agentId: null, ...sum(series.slice(COLOURS - 1)) }];
}

/** The number of each series' color. A series that also stands in the chart `beside` has the color that it has there. */
export function toColours(series: readonly Series[], beside: readonly Series[] = []): number[] {
  const indexIn = ({ agentId }: Series) => beside.findIndex((one) => one.agentId === agentId);
  const shared = new Set(series.map(indexIn));
  const free = series.map((_, index) => index).filter((index) => !shared.has(index));
  return series.map((one) => indexIn(one) < 0 ? free.shift() ?? 0 : indexIn(one));
}

/** What the agents can be put in order by. */
export type SortColumn = "agent" | "executions" | "succeeded" | "total_tokens" | "cost_usd";

/** The agents in another order; those of which the value is not known come last, whichever way. */
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

/** Of those that have ended, the share that succeeded; null where none has. */
export function shareOf(usage: { succeeded: number; failed: number }): number | null {
  const ended = usage.succeeded + usage.failed;
  return ended === 0 ? null : usage.succeeded / ended;
}

/** A bar for each day. */
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

/** Adds up usage; a cost is unknown only where all are. */
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

/** Steps between the base and the top, at most. */
const MOST_STEPS = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/** `[0, 5, 10, 15]`: from 0 to `highest` or the next round value above it, in steps of `smallest` or more. */
export function toTicks(highest: number, smallest = 0): number[] {
  const rough = highest / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ROUND.map((one) => one * power).find((one) => one >= rough * (1 - 1e-9));
  const step = Math.max(round ?? 10 * power, smallest);
  const steps = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}
