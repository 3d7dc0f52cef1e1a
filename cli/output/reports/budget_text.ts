// Formats the amounts and owners of budgets, and prints warnings about budgets that are nearly used up.
import type { BudgetBody } from "../../../api/schemas/budget_schemas.ts";
import { formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { toOneLine } from "../sanitize.ts";
import { formatRelative } from "../time.ts";

/** The used share of a budget from which a warning is printed. The service sends its message at the same share. */
const NEAR = 0.8;

/** Formats an amount of a budget, such as `$2.00`, `$0.0031` or `5,000 tokens`. */
export function showBudgetAmount({ unit }: Pick<BudgetBody, "unit">, amount: number): string {
  if (unit === "tokens") return `${formatCount(amount)} tokens`;
  const isOfCents = Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6;
  return `$${amount.toFixed(isOfCents || amount >= 1 ? 2 : 4)}`;
}

/** Returns the owner of a budget as text: the workspace, an agent, or an agent with an execution. */
export function ownerOfBudget({ agent_id, execution_id }: BudgetBody): string {
  if (agent_id === null) return "the workspace";
  const tree = execution_id === null ? "" : `, execution ${execution_id}`;
  return toOneLine(agent_id) + tree;
}

/** Prints a warning for each budget of which at least 80% are used. */
export function showNearBudgets(
  output: Output,
  budgets: readonly BudgetBody[],
  now: number,
): void {
  for (const budget of budgets) {
    if (budget.used < NEAR * budget.limit) continue;
    const used = showBudgetAmount(budget, budget.used);
    const limit = showBudgetAmount(budget, budget.limit);
    const resets = budget.resets_at === null
      ? ""
      : `; it resets ${formatRelative(budget.resets_at, now)}`;
    output.warning(
      `Budget ${budget.budget} of ${ownerOfBudget(budget)}: ${used} of ${limit} used${resets}`,
    );
  }
}
