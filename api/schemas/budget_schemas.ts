// The wire of budgets: how they stand, and allowing more.
import { z } from "zod";
import { BUDGET_PERIODS, BUDGET_UNITS } from "../../runtime/config/agent_settings.ts";
import { id, timestamp } from "./wire_values.ts";

const amount = z.number().nonnegative();
/** What amounts are in. */
export const budgetUnit = z.enum(BUDGET_UNITS).meta({ id: "BudgetUnit" });
const period = z.enum(BUDGET_PERIODS).meta({ id: "BudgetPeriod" });

/** One budget. Amounts are US dollars or tokens. */
export const BudgetBody = z.object({
  agent_id: z.string().nullable().meta({ description: "Null: the budget of the workspace" }),
  execution_id: id.nullable().meta({
    description: "Of a tree: its first execution; otherwise null",
  }),
  budget: z.string().meta({ description: "`per_day`, `tokens.tree`" }),
  unit: budgetUnit,
  period,
  limit: amount.meta({ description: "With what was raised" }),
  raised: amount.meta({ description: "Allowed beyond the limit until the period ends" }),
  used: amount,
  reserved: amount.meta({ description: "Set aside for calls that are being made" }),
  left: amount,
  resets_at: timestamp.nullable().meta({ description: "Null for a tree" }),
}).meta({ id: "Budget" });
export type BudgetBody = z.infer<typeof BudgetBody>;

/** POST /budgets/raise. Closed: `agent` misspelt would raise the workspace's. */
export const RaiseBody = z.strictObject({
  agent: z.string().nullish().meta({ description: "Absent: the budget of the workspace" }),
  unit: budgetUnit.nullish().meta({ description: "`usd` unless given" }),
  period,
  execution_id: id.nullish().meta({ description: "Of `tree`: its first execution" }),
  amount: z.number().positive().max(1e9).meta({ description: "In dollars or tokens" }),
}).meta({ id: "BudgetRaise" });
export type RaiseBody = z.input<typeof RaiseBody>;
