// Budgets: how they stand, and allowing more until the period ends.
import { z } from "zod";
import { operation } from "../operations/operation.ts";
import { fromWire } from "../operations/wire.ts";
import { BudgetBody, RaiseBody } from "../schemas/budget_schemas.ts";

export const budgets = operation({
  summary: "Budgets as they stand: those of the workspace and of all agents, or of one",
  description: "Budgets of a tree are listed while its first execution has not ended.",
  query: z.object({ agent: z.string().optional() }),
  isPolled: true,
  response: z.array(BudgetBody),
  errors: [404],
  handle: ({ query: { agent } }, { runtime }) => runtime.budgets.list(agent),
});

export const raiseBudget = operation({
  summary: "Allow more in the current period of a budget",
  description: "The limit in the file stays: the next period begins with it.",
  body: RaiseBody,
  response: BudgetBody,
  errors: [404, 409, 503],
  handle({ body: { agent: agent_id, unit, ...rest } }, { runtime }) {
    return runtime.budgets.raise({ unit: unit ?? "usd", ...fromWire({ agent_id, ...rest }) });
  },
});
