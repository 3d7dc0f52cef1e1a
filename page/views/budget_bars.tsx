// The bars of the budgets, with the amount that a monthly budget will probably reach.
import type { VNode } from "preact";
import type { BudgetBody } from "../../api/schemas/budget_schemas.ts";
import { formatCount, formatRelative } from "../parts/format.ts";
import { Agent } from "../parts/parts.tsx";
import { useAgents } from "../state/service_context.ts";
import { forecastBudget } from "../state/usage_forecast.ts";
import { useNow, useResource } from "../state/use_resource.ts";

const REFRESH_MS = 60_000;

/**
 * Renders the bars of the budgets of the workspace, of the agents and of running executions, or of one agent; nothing
 * without budgets.
 */
export function BudgetBars({ agentId }: { agentId?: string }): VNode | null {
  const now = useNow(REFRESH_MS);
  const { data } = useResource((client) => client.budgets({ agent: agentId }), {
    key: agentId ?? "",
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
  const monthly = budget.period === "month" && resets_at !== null
    ? forecastBudget(used, { end: Date.parse(resets_at), now })
    : null;
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
      <span class="muted">
        {amounts}
        {reserved > 0 && ` · ${formatAmount(budget, reserved)} reserved`}
        {monthly !== null && (
          <span class={monthly > limit ? "failure" : undefined}>
            {` · about ${formatAmount(budget, monthly)} by the end of the month`}
          </span>
        )}
        {resets_at !== null && ` · resets ${formatRelative(Date.parse(resets_at), now)}`}
      </span>
    </>
  );
}

function formatAmount({ unit }: BudgetBody, amount: number): string {
  return unit === "tokens" ? `${formatCount(amount)} tokens` : `$${amount.toFixed(2)}`;
}
