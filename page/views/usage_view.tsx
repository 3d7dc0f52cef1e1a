// The view of usage: budgets, and tokens and cost by day and by agent, as charts and as tables.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Client } from "../../api/client/client.ts";
import type { StatsBody } from "../../api/schemas/report_schemas.ts";
import { useAgents } from "../state/service_context.ts";
import {
  formatCost,
  formatCount,
  formatNumberOf,
  formatWhole,
  toCostFormat,
} from "../parts/format.ts";
import { Agent, Button, Empty, Figures, LoadState } from "../parts/parts.tsx";
import { historyHref, toHash, USAGE_DAYS } from "../state/route.ts";
import { SelectField } from "../parts/forms.tsx";
import { loadStats } from "../state/load_stats.ts";
import { download } from "../parts/download.ts";
import { forecastMonth, toCsv } from "../state/usage_forecast.ts";
import { BudgetBars } from "./budget_bars.tsx";
import { UsageChart } from "../parts/usage_chart.tsx";
import {
  type Series,
  shareOf,
  type SortColumn,
  sortSeries,
  sum,
  toBars,
  toColours,
  toSeries,
  type Usage,
  withOthers,
} from "../state/usage_sums.ts";
import { useNow, useResource } from "../state/use_resource.ts";

const REFRESH_MS = 60_000;
const DIVISIONS = ["agent", "model", "trigger"] as const;
type Division = typeof DIVISIONS[number];

/** Loads the usage. If it is divided by models or triggers, these take the place of the agents. */
async function loadDivided(
  client: Client,
  { days, by }: { days: number; by: Division },
): Promise<StatsBody> {
  if (by === "agent") return await loadStats(client, { days });
  const stats = await loadStats(client, { days, by });
  return { ...stats, usage: stats.usage.map((one) => ({ ...one, agent_id: one[by] ?? "" })) };
}

/** Renders the view of the usage of the last days. */
export function UsageView({ days }: { days: number }): VNode {
  const agents = useAgents();
  // Reload at intervals instead of after events, because the sums take long to calculate and change little.
  const minute = Math.floor(useNow(REFRESH_MS) / REFRESH_MS);
  const [by, setBy] = useState<Division>("agent");
  const stats = useResource((client) => loadDivided(client, { days, by }), {
    key: `${days} ${by}`,
    reloadKey: minute,
    topics: [],
  });
  const { data, isStale } = stats;
  const all = data === undefined ? [] : toSeries(data);
  const total = sum(all);
  const byCost = data === undefined ? [] : withOthers(toSeries(data, "cost_usd"));
  const byTokens = withOthers(all);
  const nameOf = ({ agentId: id }: Series) => {
    if (id === null) return "others";
    return by === "agent" ? agents.get(id)?.display_name ?? id : id || "none";
  };
  const forecast = data === undefined ? null : forecastMonth(data);
  return (
    <>
      <div class="view-head">
        <h1>Usage</h1>
        <nav class="choices" aria-label="Days">
          {USAGE_DAYS.map((one) => (
            <a
              key={one}
              href={toHash({ view: "usage", days: one })}
              aria-current={one === days ? "true" : undefined}
            >
              {one} days
            </a>
          ))}
        </nav>
      </div>
      <div class="actions usage-actions">
        <SelectField
          label="By"
          layout="inline"
          value={by}
          options={DIVISIONS}
          hasAll={false}
          onChoose={(one) => setBy(DIVISIONS.find((known) => known === one) ?? "agent")}
        />
        <Button
          disabled={data === undefined}
          onClick={() => data && download(`usage-by-${by}.csv`, toCsv(data, by))}
        >
          Download CSV
        </Button>
      </div>
      <BudgetBars />
      <LoadState of={stats} />
      {data !== undefined && all.length === 0 && <Empty>No executions in this period.</Empty>}
      {data !== undefined && all.length > 0 && (
        <div aria-busy={isStale}>
          <Figures
            of={{
              Cost: formatCost(total.cost_usd),
              "This month": forecast &&
                `${formatCost(forecast.used)}, about ${formatCost(forecast.whole)} by its end`,
              Tokens: formatCount(total.total_tokens),
              Executions: formatCount(total.executions),
              Succeeded: successRate(total),
            }}
          />
          <div class="charts">
            <UsageChart
              title="Cost"
              bars={toBars(data, { series: byCost, measure: "cost_usd" })}
              names={byCost.map(nameOf)}
              colours={toColours(byCost)}
              formatAs={toCostFormat}
            />
            <UsageChart
              title="Tokens"
              bars={toBars(data, { series: byTokens, measure: "total_tokens" })}
              names={byTokens.map(nameOf)}
              colours={toColours(byTokens, byCost)}
              formatAs={() => formatWhole}
              smallest={1}
            />
          </div>
          <AgentTable all={all} nameOf={nameOf} by={by} />
        </div>
      )}
    </>
  );
}

const COLUMNS: readonly { by: SortColumn; name: string }[] = [
  { by: "agent", name: "Agent" },
  { by: "executions", name: "Executions" },
  { by: "succeeded", name: "Succeeded" },
  { by: "total_tokens", name: "Tokens" },
  { by: "cost_usd", name: "Cost" },
];

function AgentTable(
  { all, nameOf, by: division }: {
    all: readonly Series[];
    nameOf: (one: Series) => string;
    by: Division;
  },
): VNode {
  const [order, setOrder] = useState<{ by: SortColumn; isDescending: boolean }>({
    by: "total_tokens",
    isDescending: true,
  });
  // The first click on a column sorts numbers in descending and names in ascending order.
  const sortBy = (by: SortColumn) =>
    setOrder((before) => ({
      by,
      isDescending: before.by === by ? !before.isDescending : by !== "agent",
    }));
  const total = sum(all);
  const formatAsCost = toCostFormat([total.cost_usd, ...all.map(({ cost_usd }) => cost_usd)]);
  return (
    <>
      <h2>By {division}</h2>
      <table class="rows sortable" aria-label={`Usage by ${division}`}>
        <thead>
          <tr>
            {COLUMNS.map(({ by, name }) => (
              <th
                key={by}
                scope="col"
                class={by === "agent" ? undefined : "number"}
                aria-sort={by !== order.by
                  ? undefined
                  : order.isDescending
                  ? "descending"
                  : "ascending"}
              >
                <Button class="quiet" onClick={() => sortBy(by)}>
                  {by === "agent" ? division.charAt(0).toUpperCase() + division.slice(1) : name}
                </Button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sortSeries(all, { ...order, nameOf }).map((one) => {
            const id = one.agentId ?? "";
            return (
              <tr key={id}>
                <th scope="row" class="main">
                  {division === "agent"
                    ? (
                      <a data-row href={historyHref({ agent: id })}>
                        <Agent id={id} />
                      </a>
                    )
                    : nameOf(one)}
                </th>
                <Sums of={one} format={formatAsCost} />
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" class="main">{formatNumberOf(all.length, division)}</th>
            <Sums of={total} format={formatAsCost} />
          </tr>
        </tfoot>
      </table>
      <p class="muted small">Costs include only models with a known price.</p>
    </>
  );
}

function Sums(
  { of: one, format }: { of: Usage; format: (usd: number | null) => string },
): VNode {
  return (
    <>
      <td class="number">
        {formatWhole(one.executions)}{" "}
        <span class="unit">{one.executions === 1 ? "execution" : "executions"}</span>
      </td>
      <td class="number">
        <span class="unit">succeeded</span> {successRate(one)}
      </td>
      <td class="number">
        {formatWhole(one.total_tokens)} <span class="unit">tokens</span>
      </td>
      <td class="number">
        <span class="unit">cost</span> {format(one.cost_usd)}
      </td>
    </>
  );
}

function successRate(usage: { succeeded: number; failed: number }): string {
  const share = shareOf(usage);
  return share === null ? "–" : `${Math.round(share * 100)} %`;
}
