// What may still be spent: a bar for each budget of the workspace and of the agents, and of runs that go on.
import type { VNode } from "preact";
import type { BudgetBody } from "../../../schemas/budget_schemas.ts";
import { type AgentsById, labelOf } from "../state/agents_by_id.ts";
import { formatCount, formatRelative } from "../format.ts";
import { AgentName } from "../parts.tsx";
import { useService } from "../state/service_context.ts";
import { useNow, useResource } from "../state/use_resource.ts";

const REFRESH_MS = 60_000;

/** The budgets; nothing where there are none. That the service cannot be reached is said by the view around them. */
export function BudgetBars({ agents }: { agents: AgentsById }): VNode | null {
  const { client } = useService();
  const now = useNow(REFRESH_MS);
  const { data } = useResource(() => client.budgets(), {
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
            <BudgetBar budget={one} agents={agents} now={now} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function BudgetBar(
  { budget, agents, now }: { budget: BudgetBody; agents: AgentsById; now: number },
): VNode {
  const { used, limit, reserved, agent_id, execution_id, resets_at } = budget;
  const label = agent_id === null ? undefined : labelOf(agents, agent_id);
  const amounts = `${showAmount(budget, used)} of ${showAmount(budget, limit)}`;
  const whose = label?.name ?? "Workspace";
  return (
    <>
      <span class="whose">
        {label === undefined ? whose : <AgentName icon={label.icon} name={label.name} />}
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
