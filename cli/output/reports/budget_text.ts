// Budgets as a person reads them: amounts, whose they are, and those that are nearly used up.
import type { BudgetBody } from "../../../api/schemas/budget_schemas.ts";
import { formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { toOneLine } from "../sanitise.ts";
import { formatRelative } from "../time.ts";

/** From this share of a limit on people are told; the service tells them at the same. */
const NEAR = 0.8;

/** `$2.00`, `$0.0031`, `5,000 tokens`. */
export function showBudgetAmount({ unit }: Pick<BudgetBody, "unit">, amount: number): string {
  if (unit === "tokens") return `${formatCount(amount)} tokens`;
  const isOfCents = Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6;
  return `$${amount.toFixed(isOfCents || amount >= 1 ? 2 : 4)}`;
}

/** Whose budget it is. */
export function whoseBudget({ agent_id, execution_id }: BudgetBody): string {
  if (agent_id === null) return "the workspace";
  const tree = execution_id === null ? "" : `, execution ${execution_id}`;
  return toOneLine(agent_id) + tree;
}

/** A line for each budget that is nearly used up, or used up. */
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
      `Budget ${budget.budget} of ${whoseBudget(budget)}: ${used} of ${limit} used${resets}`,
    );
  }
}
