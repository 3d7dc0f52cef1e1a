// The operations on budgets: list them, and raise one for its current period.
import { z } from "zod";
import { operation } from "../operations/operation.ts";
import { fromWire } from "../schemas/wire.ts";
import { BudgetBody, RaiseBody } from "../schemas/budget_schemas.ts";

export const budgets = operation({
  summary: "Budgets of the workspace and of all agents or one agent, with their current use",
  description: "The budget of an execution tree is listed until the tree's first execution ends.",
  query: z.object({ agent: z.string().optional() }),
  isPolled: true,
  response: z.array(BudgetBody),
  errors: [404],
  handle: ({ query: { agent } }, { runtime }) => runtime.budgets.list(agent),
});

export const raiseBudget = operation({
  summary: "Raise a budget for its current period",
  description: "The limit in the file does not change; it applies again from the next period.",
  body: RaiseBody,
  response: BudgetBody,
  errors: [404, 409, 503],
  handle({ body: { agent: agent_id, unit, ...rest } }, { runtime, caller }) {
    const request = { unit: unit ?? "usd", ...fromWire({ agent_id, ...rest }), by: caller };
    return runtime.budgets.raise(request);
  },
});
