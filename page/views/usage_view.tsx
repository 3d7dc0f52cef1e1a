// The view of usage: budgets, and tokens and cost by day and by agent, as charts and as tables.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { StatsBody } from "../../api/schemas/report_schemas.ts";
import { useAgents } from "../state/service_context.ts";
import {
  formatCost,
  formatCount,
  formatNumberOf,
  formatRelative,
  formatWhole,
  toCostFormat,
} from "../parts/format.ts";
import { Agent, Button, Empty, Figures, LoadState } from "../parts/parts.tsx";
import { historyHref, toHash, USAGE_DAYS } from "../state/route.ts";
import { UsageChart } from "./usage_chart.tsx";
import {
  type Series,
  shareOf,
  type SortColumn,
  sortSeries,
  sum,
  toBars,
  toColours,
  toSeries,
  withOthers,
} from "../state/usage_sums.ts";
import { useNow, useResource } from "../state/use_resource.ts";
import type { BudgetBody } from "../../api/schemas/budget_schemas.ts";

const REFRESH_MS = 60_000;

/**
 * Loads the usage by day, in the time zone of the browser. If the browser knows only an offset, in the time zone of the
 * service.
 */
async function loadStats(client: Client, days: number): Promise<StatsBody> {
  try {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return await client.stats({ days, timezone });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    return await client.stats({ days });
  }
}

/** Renders the view of the usage of the last days. */
export function UsageView({ days }: { days: number }): VNode {
  const agents = useAgents();
  // Reload at intervals instead of after events, because the sums take long to calculate and change little.
  const minute = Math.floor(useNow(REFRESH_MS) / REFRESH_MS);
  const stats = useResource((client) => loadStats(client, days), {
    key: String(days),
    reloadKey: minute,
    topics: [],
  });
  const { data, isStale } = stats;
  const all = data === undefined ? [] : toSeries(data);
  const total = sum(all);
  const byCost = data === undefined ? [] : withOthers(toSeries(data, "cost_usd"));
  const byTokens = withOthers(all);
  const nameOf = ({ agentId: id }: Series) =>
    id === null ? "others" : agents.get(id)?.display_name ?? id;
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
      <BudgetBars />
      <LoadState of={stats} />
      {data !== undefined && all.length === 0 && <Empty>No executions in this period.</Empty>}
      {data !== undefined && all.length > 0 && (
        <div aria-busy={isStale}>
          <Figures
            of={{
              Cost: formatCost(total.cost_usd),
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
          <AgentTable all={all} nameOf={nameOf} />
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
  { all, nameOf }: { all: readonly Series[]; nameOf: (one: Series) => string },
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
      <h2>By agent</h2>
      <table class="rows sortable" aria-label="Usage by agent">
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
                <Button class="quiet" onClick={() => sortBy(by)}>{name}</Button>
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
                  <a data-row href={historyHref({ agent: id })}>
                    <Agent id={id} />
                  </a>
                </th>
                <Sums of={one} format={formatAsCost} />
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" class="main">{formatNumberOf(all.length, "agent")}</th>
            <Sums of={total} format={formatAsCost} />
          </tr>
        </tfoot>
      </table>
      <p class="muted small">Costs include only models with a known price.</p>
    </>
  );
}

function Sums(
  { of: one, format }: {
    of: Omit<Series, "agentId">;
    format: (usd: number | null) => string;
  },
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

/** Renders the bars of the budgets of the workspace, of the agents and of running executions; nothing without budgets. */
function BudgetBars(): VNode | null {
  const now = useNow(REFRESH_MS);
  const { data } = useResource((client) => client.budgets(), {
    key: "",
    topics: ["executions", "agents"],
    reloadKey: Math.floor(now / REFRESH_MS),
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <ul class="budgets">
        {data.map((one) => (
          <li key={`${one.agent_id} ${one.execution_id} ${one.budget}`}>
            <BudgetBar budget={one} now={now} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function BudgetBar({ budget, now }: { budget: BudgetBody; now: number }): VNode {
  const { used, limit, reserved, agent_id, execution_id, resets_at } = budget;
  const amounts = `${formatAmount(budget, used)} of ${formatAmount(budget, limit)}`;
  const agents = useAgents();
  const owner = agent_id === null ? "Workspace" : agents.get(agent_id)?.display_name ?? agent_id;
  return (
    <>
      <span class="whose">
        {agent_id === null ? owner : <Agent id={agent_id} />}
        {execution_id !== null && ` · execution ${execution_id}`}
        {" · "}
        <code>{budget.budget}</code>
      </span>
      <meter
        min={0}
        max={limit}
        low={0.8 * limit}
        high={limit}
        optimum={0}
        value={Math.min(used, limit)}
        aria-label={`${budget.budget} of ${owner}`}
        aria-valuetext={`${amounts} used`}
      />
      <span class="amounts">
        {amounts}
        {reserved > 0 && ` · ${formatAmount(budget, reserved)} reserved`}
        {resets_at !== null && ` · resets ${formatRelative(Date.parse(resets_at), now)}`}
      </span>
    </>
  );
}

function formatAmount({ unit }: BudgetBody, amount: number): string {
  return unit === "tokens" ? `${formatCount(amount)} tokens` : `$${amount.toFixed(2)}`;
}
