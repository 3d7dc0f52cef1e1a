// `inkling budget`: prints the budgets and their use, or raises a budget for its current period.
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { budget } from "../../declarations/agent_commands.ts";
import type { BudgetBody } from "../../../api/schemas/budget_schemas.ts";
import { type CommandContext, misuse } from "../../context/context.ts";
import { ownerOfBudget, showBudgetAmount } from "../../output/reports/budget_text.ts";
import { formatCount } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { NOTHING, orNothing } from "../../output/table.ts";
import { formatRelative } from "../../output/time.ts";
import { openReader } from "../../service/connection.ts";
import { openService } from "../../service/daemon.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

type BudgetOptions = CommandOptions<typeof budget>;

/** Prints the budgets, or raises a budget with `--raise`. */
export const perform = performs<typeof budget>(async (context, options, { agent: agentId }) => {
  const { raise, period, tokens, execution } = options;
  if (raise !== undefined) return await raiseBudget(context, agentId, { ...options, raise });
  if (period !== undefined || tokens || execution !== undefined) {
    throw misuse("--period, --tokens and --execution require --raise");
  }
  const { app, output } = context;
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const asked = client.budgets({ agent: agentId });
  const budgets = await orUnknownAgent(asked, { app, client, agentId });
  if (options.json) output.json(budgets);
  else showBudgets(output, budgets, app.clock.now());
});

function showBudgets(output: Output, budgets: readonly BudgetBody[], now: number): void {
  const { style } = output;
  if (budgets.length === 0) {
    output.line("No budgets are set");
    output.detail(
      "To set one, write budget: { per_day: 2.00 } into an agent's file, or under defaults in " +
        "config.yaml. At the top level of config.yaml it is one budget for all agents together",
    );
    return;
  }
  // Prints token counts without the unit, because the name of the budget contains it.
  const show = (one: BudgetBody, amount: number) =>
    one.unit === "tokens" ? formatCount(amount) : showBudgetAmount(one, amount);
  const hasReserved = budgets.some(({ reserved }) => reserved > 0);
  output.table(budgets, [
    { header: "Agent", cell: ownerOfBudget, shrinks: true, paint: style.bold },
    { header: "Budget", cell: ({ budget }) => budget },
    { header: "Limit", cell: (one) => show(one, one.limit), align: "right" },
    { header: "Used", cell: (one) => show(one, one.used), align: "right" },
    hasReserved && {
      header: "Reserved",
      cell: (one) => one.reserved === 0 ? NOTHING : show(one, one.reserved),
      align: "right",
    },
    { header: "Left", cell: (one) => show(one, one.left), align: "right" },
    {
      header: "Resets",
      cell: ({ resets_at: at }) => orNothing(at, (at) => formatRelative(at, now)),
    },
  ]);
  for (const one of budgets.filter(({ raised }) => raised > 0)) {
    const raised = showBudgetAmount(one, one.raised);
    output.detail(
      `Budget ${one.budget} of ${ownerOfBudget(one)} was raised by ${raised} for this period`,
    );
  }
}

async function raiseBudget(
  context: CommandContext,
  agentId: string | undefined,
  options: BudgetOptions & { raise: number },
): Promise<void> {
  const { app, output } = context;
  const { raise, execution, tokens } = options;
  using client = await openService(context);
  const asked = client.raiseBudget({
    amount: raise,
    period: options.period ?? (execution === undefined ? "day" : "tree"),
    unit: tokens ? "tokens" : "usd",
    agent: agentId,
    execution_id: execution,
  });
  const raised = await orUnknownAgent(asked, { app, client, agentId });
  if (options.json) output.json(raised);
  else {
    const [limit, left] = [raised.limit, raised.left].map((one) => showBudgetAmount(raised, one));
    const until = raised.resets_at === null
      ? ""
      : ` until it resets ${formatRelative(raised.resets_at, app.clock.now())}`;
    output.sentence(
      `Budget ${raised.budget} of ${ownerOfBudget(raised)} is ${limit}${until}: ${left} left`,
    );
  }
}
