// What may still be spent: a bar for each budget of the workspace and of the agents, and of runs that go on.
import type { VNode } from "preact";
import type { BudgetBody } from "../../api/schemas/budget_schemas.ts";
import { useAgents } from "../state/service_context.ts";
import { formatCount, formatRelative } from "../format.ts";
import { Agent } from "../parts.tsx";
import { useNow, useResource } from "../state/use_resource.ts";

const REFRESH_MS = 60_000;

/** The budgets; nothing where there are none. That the service cannot be reached is said by the view around them. */
export function BudgetBars(): VNode | null {
  const now = useNow(REFRESH_MS);
  const { data } = useResource((client) => client.budgets(), {
    key: "",
    topics: ["executions", "agents"],
    beat: Math.floor(now / REFRESH_MS),
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
  const amounts = `${showAmount(budget, used)} of ${showAmount(budget, limit)}`;
  const agents = useAgents();
  const whose = agent_id === null ? "Workspace" : agents.get(agent_id)?.display_name ?? agent_id;
  return (
    <>
      <span class="whose">
        {agent_id === null ? whose : <Agent id={agent_id} />}
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
        aria-label={`${budget.budget} of ${whose}`}
        aria-valuetext={`${amounts} used`}
      />
      <span class="amounts">
        {amounts}
        {reserved > 0 && ` · ${showAmount(budget, reserved)} set aside`}
        {resets_at !== null && ` · resets ${formatRelative(Date.parse(resets_at), now)}`}
      </span>
    </>
  );
}

function showAmount({ unit }: BudgetBody, amount: number): string {
  return unit === "tokens" ? `${formatCount(amount)} tokens` : `$${amount.toFixed(2)}`;
}
