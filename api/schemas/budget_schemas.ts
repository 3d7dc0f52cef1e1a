// The schemas of budgets and of the request that raises a budget.
import { z } from "zod";
import { BUDGET_UNITS } from "../../runtime/config/agent_settings.ts";
import { BUDGET_PERIODS } from "../../runtime/vocabulary/budget_periods.ts";
import { id, timestamp } from "./wire_values.ts";

const amount = z.number().nonnegative();
/** The unit of a budget's amounts. */
export const budgetUnit = z.enum(BUDGET_UNITS).meta({ id: "BudgetUnit" });
const period = z.enum(BUDGET_PERIODS).meta({ id: "BudgetPeriod" });

/** A budget. Amounts are in US dollars or tokens. */
export const BudgetBody = z.object({
  agent_id: z.string().nullable().meta({
    description: "The agent; null for the budget of the workspace",
  }),
  execution_id: id.nullable().meta({
    description: "The first execution of the tree; null for other periods",
  }),
  budget: z.string().meta({ description: "The field in the file: `per_day`, `tokens.tree`" }),
  unit: budgetUnit,
  period,
  limit: amount.meta({ description: "The limit, including the raised amount" }),
  raised: amount.meta({ description: "The amount added until the period ends" }),
  used: amount,
  reserved: amount.meta({ description: "The amount reserved for calls in progress" }),
  left: amount,
  resets_at: timestamp.nullable().meta({ description: "Null for a tree" }),
}).meta({ id: "Budget" });
export type BudgetBody = z.infer<typeof BudgetBody>;

/** The request body of POST /budgets/raise. Strict, because a misspelled `agent` would raise the workspace's budget. */
export const RaiseBody = z.strictObject({
  agent: z.string().nullish().meta({
    description: "The agent; absent for the budget of the workspace",
  }),
  unit: budgetUnit.nullish().meta({ description: "Default: `usd`" }),
  period,
  execution_id: id.nullish().meta({ description: "For `tree`: its first execution" }),
  amount: z.number().positive().max(1e9).meta({ description: "In dollars or tokens" }),
}).meta({ id: "BudgetRaise" });
