// The question that a run asks when a budget has too little left for its next call, and the handling of the answer.
import type { Agent } from "../../agents/agent.ts";
import type { BudgetUnit } from "../../config/agent_settings.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { ToolQuestion } from "../../tools/definition/tool.ts";
import { LIMITS } from "../../vocabulary/end_reason.ts";
import type { GivenAnswer } from "../human_request.ts";
import type { Outcome } from "../record/ending_store.ts";
import {
  describeBudget,
  formatAmount,
  fromAmount,
  nameOf,
  type RequestedRaise,
} from "../budget.ts";
import type { BudgetExceeded } from "./budget_gate.ts";

/** The text that a budget question shows in place of a tool's name. */
export const BUDGET_TOOL = "budget";

/** The smallest step of a raise, in internal amounts: one cent, or a thousand tokens. */
const STEPS: Readonly<Record<BudgetUnit, number>> = { usd: 10_000_000, tokens: 1_000 };

/**
 * Returns the question for a raise of the budget by half of its limit, or by the amount that the call needs if that is
 * more.
 */
export function toBudgetQuestion(
  { budget, need }: BudgetExceeded,
  agent: Pick<Agent, "id" | "displayName">,
): { question: ToolQuestion; args: JsonObject; raise: RequestedRaise } {
  const { scope, unit, period, start, limit, raised, used, agentId } = budget;
  const missing = used + need - limit - raised;
  const amount = Math.ceil(Math.max(limit / 2, missing) / STEPS[unit]) * STEPS[unit];
  const name = `${nameOf(budget)} (${formatAmount(unit, limit + raised)})`;
  // The budget may belong to another agent: a tree's budget belongs to the agent of the tree's first run.
  const whose = agentId === agent.id ? agent.displayName : agentId ?? "the workspace";
  return {
    question: {
      kind: "confirm",
      message: `Budget ${name} of ${whose} is used up. Continue with ${
        formatAmount(unit, amount)
      } more?`,
      options: null,
      multi: false,
    },
    args: {
      budget: nameOf(budget),
      unit,
      limit: fromAmount(unit, limit + raised),
      used: fromAmount(unit, used),
      next_call: fromAmount(unit, need),
      raise: fromAmount(unit, amount),
    },
    raise: { scope, unit, period, start, amount, budget: describeBudget(budget) },
  };
}

/** Returns the outcome of a run that a budget ended. */
export function budgetOutcome(budget: string): Outcome {
  return { status: "aborted", error: LIMITS.budget(budget), output: null };
}

/** Returns the run's outcome if the last answer refused a raise. Undefined if the run continues. */
export function readBudgetAnswer(answers: readonly GivenAnswer[] | undefined): Outcome | undefined {
  const last = answers?.at(-1);
  if (last?.request.raise === undefined) return undefined;
  const isApproved = "approved" in last.answer && last.answer.approved;
  return isApproved ? undefined : budgetOutcome(last.request.raise.budget);
}
