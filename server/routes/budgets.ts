// Budgets: how they stand, and allowing more until the period ends.
import { z } from "zod";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { BudgetBody, RaiseBody, toBudget, toRaise } from "../schemas/budget_schemas.ts";

/** /budgets. */
export const budgetOperations: readonly Operation[] = [
  defineOperation({
    operationId: "budgets",
    summary: "Budgets as they stand: those of the workspace and of all agents, or of one",
    description: "Budgets of a tree are listed while its first execution has not ended.",
    query: z.object({ agent: z.string().optional() }),
    isPolled: true,
    response: z.array(BudgetBody),
    errors: [404],
    async handle({ query: { agent } }, { runtime }) {
      return (await runtime.budgets.list(agent)).map(toBudget);
    },
  }),
  defineOperation({
    operationId: "raiseBudget",
    summary: "Allow more in the current period of a budget",
    description: "The limit in the file stays: the next period begins with it.",
    body: RaiseBody,
    response: BudgetBody,
    errors: [404, 409, 503],
    async handle({ body }, { runtime }) {
      return toBudget(await runtime.budgets.raise(toRaise(body)));
    },
  }),
];
