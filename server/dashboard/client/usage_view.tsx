// What it cost: tokens and money by day and agent, as bars and as figures.
import type { VNode } from "preact";
import { type AgentsById, labelOf } from "./agents_by_id.ts";
import { formatCost, formatCount, formatNumberOf } from "./format.ts";
import { AgentName, Empty, Figure, Loading, Problem } from "./parts.tsx";
import { toHash, USAGE_DAYS, WHOLE_HISTORY } from "./route.ts";
import { useService } from "./service_context.ts";
import { UsageChart } from "./usage_chart.tsx";
import { type Series, sum, toBars, toSeries, withOthers } from "./usage_sums.ts";
import { useResource } from "./use_resource.ts";

/** The page of the usage of the last days. */
export function UsageView({ days, agents }: { days: number; agents: AgentsById }): VNode {
  const { client } = useService();
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { data, problem, isStale } = useResource(() => client.stats({ days, timezone }), {
    key: String(days),
    topics: ["executions"],
  });
  const all = data === undefined ? [] : toSeries(data);
  const series = withOthers(all);
  const total = sum(all);
  const nameOf = (one: Series) =>
    one.agentId === null ? "others" : labelOf(agents, one.agentId).name;
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
      {problem !== null && <Problem text={problem} />}
      {data === undefined && problem === null && <Loading />}
      {data !== undefined && all.length === 0 && <Empty>Nothing ran in these days.</Empty>}
      {data !== undefined && all.length > 0 && (
        <div aria-busy={isStale}>
          <dl class="figures">
            <Figure name="Cost">{formatCost(total.cost_usd)}</Figure>
            <Figure name="Tokens">{formatCount(total.total_tokens)}</Figure>
            <Figure name="Executions">{formatCount(total.executions)}</Figure>
            <Figure name="Succeeded">{succeeded(total)}</Figure>
          </dl>
          <UsageChart
            title="Cost"
            bars={toBars(data, { series, measure: "cost_usd" })}
            names={series.map(nameOf)}
            format={formatCost}
          />
          <UsageChart
            title="Tokens"
            bars={toBars(data, { series, measure: "total_tokens" })}
            names={series.map(nameOf)}
            format={formatCount}
          />
          <AgentTable all={all} agents={agents} />
        </div>
      )}
    </>
  );
}

function AgentTable({ all, agents }: { all: readonly Series[]; agents: AgentsById }): VNode {
  return (
    <>
      <h2>By agent</h2>
      <table class="usage" aria-label="Usage by agent">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col" class="number">Executions</th>
            <th scope="col" class="number">Succeeded</th>
            <th scope="col" class="number">Tokens</th>
            <th scope="col" class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => {
            const id = one.agentId ?? "";
            const { icon, name } = labelOf(agents, id);
            return (
              <tr key={id}>
                <th scope="row">
                  <a href={toHash({ ...WHOLE_HISTORY, agent: id })}>
                    <AgentName icon={icon} name={name} />
                  </a>
                </th>
                <td class="number">{formatCount(one.executions)}</td>
                <td class="number">{succeeded(one)}</td>
                <td class="number">{formatCount(one.total_tokens)}</td>
                <td class="number">{formatCost(one.cost_usd)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="muted small">
        {formatNumberOf(all.length, "agent")}. A cost is known where the price of a model is.
      </p>
    </>
  );
}

/** Of those that have ended. */
function succeeded(usage: { succeeded: number; failed: number }): string {
  const ended = usage.succeeded + usage.failed;
  return ended === 0 ? "none ended" : `${Math.round(usage.succeeded / ended * 100)} %`;
}
