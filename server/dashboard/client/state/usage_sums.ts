// The usage by day and agent as a chart stacks it: few agents with a colour of their own, the others together.
import type { StatsBody } from "../../../schemas/report_schemas.ts";

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

/** The agents, those that used most first; by tokens, because every model has them. */
export function toSeries(stats: StatsBody): Series[] {
  const byAgent = Map.groupBy(stats.usage, ({ agent_id }) => agent_id);
  return [...byAgent].map(([agentId, usage]) => ({ agentId, ...sum(usage) }))
    .sort((a, b) => b.total_tokens - a.total_tokens || b.executions - a.executions);
}

/** The series that get colours: the first ones, and the rest as one. */
export function withOthers(series: readonly Series[]): Series[] {
  if (series.length <= COLOURS) return [...series];
  const own = series.slice(0, COLOURS - 1);
  return [...own, { agentId: null, ...sum(series.slice(COLOURS - 1)) }];
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
