// The types of budgets, and the budgets of an agent, of a tree of runs and of the workspace. The budget store counts the
// spending; budget_gate.ts decides if a call may be made.
import { roundCost } from "../../base/cost.ts";
import { camelCase } from "../../base/text/key_case.ts";
import {
  type AgentBudget,
  BUDGET_UNITS,
  type BudgetUnit,
  type WorkspaceBudget,
} from "../config/agent_settings.ts";
import { boundsOf, type BudgetPeriod, CALENDAR_PERIODS } from "../vocabulary/budget_periods.ts";

/**
 * A limit in one period. Money is in billionths of a dollar, so that sums are exact. Times are in milliseconds since the
 * epoch.
 */
export interface Budget {
  /** The spender that the limit applies to: the result of agentScope() or treeScope(), or WORKSPACE_SCOPE. */
  scope: string;
  unit: BudgetUnit;
  period: BudgetPeriod;
  /** The beginning (0 for a tree) and the end (null for a tree) of the period. */
  start: number;
  end: number | null;
  limit: number;
  /** The agent whose file or defaults set the limit. Null for the workspace's budget in config.yaml. */
  agentId: string | null;
  /** The id of the tree's first execution. Absent if the period is not `tree`. */
  executionId?: number;
}

/** A budget with its spending in the period. `reserved` is the amount reserved for calls in progress. */
export interface BudgetState extends Budget {
  raised: number;
  used: number;
  reserved: number;
}

/** A request to reserve an amount for a model call. */
export interface NewReservation {
  /** The agent that makes the call, or null for a call of a person, such as a draft. */
  agentId: string | null;
  executionId: number | null;
  /** The id of the first execution of the call's tree, or null. */
  rootId: number | null;
  at: number;
  most: Amount;
  /** The budgets that the call counts toward. */
  budgets: readonly Budget[];
}

/** The reason why a reservation was refused. */
export interface ReservationRefusal {
  /** The first budget with too little left for the call. */
  refused: BudgetState;
  /** The maximum amount that the call may use, in the budget's unit. */
  need: number;
  /** True if the budget would have enough left without the reservations of other calls. */
  isTemporary: boolean;
  /** True if this budget has not refused a call in its period before. */
  isFirst: boolean;
}

/**
 * A budget in the units that people read: dollars or tokens. `limit` includes the raises; `left` excludes the reserved
 * amount.
 */
export interface BudgetFigures {
  /** The budget's field, such as `per_day` or `tokens.tree`. */
  budget: string;
  unit: BudgetUnit;
  period: BudgetPeriod;
  agentId: string | null;
  executionId: number | null;
  limit: number;
  raised: number;
  used: number;
  reserved: number;
  left: number;
  /** The end of the period in milliseconds since the epoch. Null for a tree. */
  resetsAt: number | null;
}

/** The money and tokens that a call uses or may use at most. */
export interface Amount {
  nanos: number;
  tokens: number;
}

/** A raise of a budget for one period. */
export interface BudgetRaise extends Pick<Budget, "scope" | "unit" | "period" | "start"> {
  amount: number;
}

/** A raise that a budget question asks a person to approve. `budget` is the budget's description in the run's error. */
export interface RequestedRaise extends BudgetRaise {
  budget: string;
}

const NANOS_PER_DOLLAR = 1_000_000_000;

/** Converts dollars to billionths of a dollar, rounded up. */
export function toNanos(usd: number): number {
  return Math.ceil(roundCost(usd * NANOS_PER_DOLLAR));
}

/** Converts an internal amount (billionths of a dollar, or tokens) to dollars or tokens. */
export function fromAmount(unit: BudgetUnit, amount: number): number {
  return unit === "usd" ? roundCost(amount / NANOS_PER_DOLLAR) : amount;
}

/** Converts dollars or tokens to an internal amount (billionths of a dollar, or tokens). */
export function toAmount(unit: BudgetUnit, written: number): number {
  return unit === "usd" ? toNanos(written) : Math.ceil(written);
}

/** Returns the scope of an agent's runs. */
export function agentScope(id: string): string {
  return `agent:${id}`;
}

/** Returns the scope of the tree with this first execution. */
export function treeScope(rootId: number): string {
  return `tree:${rootId}`;
}

/** The scope of the whole workspace. */
export const WORKSPACE_SCOPE = "workspace";

/** Returns the budgets of a tree of runs. The agent of the first run sets them. */
export function treeBudgets(
  { tree, tokens }: Pick<AgentBudget, "tree" | "tokens">,
  root: { agentId: string; executionId: number },
): Budget[] {
  const whose = { ...root, scope: treeScope(root.executionId) };
  const period = { period: "tree", start: 0, end: null } as const;
  return [
    ...limited(tree, { ...whose, ...period, unit: "usd" }),
    ...limited(tokens.tree, { ...whose, ...period, unit: "tokens" }),
  ];
}

/**
 * Returns the budgets in periods of the calendar that an agent or the workspace has at this time. `timeZone` returns the time
 * zone for budgets that name none: finding the machine's takes ten milliseconds once.
 */
export function periodBudgets(
  { tokens, timezone, ...dollars }: WorkspaceBudget,
  whose: Pick<Budget, "scope" | "agentId">,
  { now, timeZone }: { now: number; timeZone: () => string },
): Budget[] {
  const limits = { usd: dollars, tokens };
  return BUDGET_UNITS.flatMap((unit) =>
    CALENDAR_PERIODS.flatMap((period) => {
      const written = limits[unit][camelCase(`per_${period}`)];
      if (written === null) return [];
      const bounds = boundsOf(period, { now, timeZone: timezone ?? timeZone() });
      return limited(written, { ...whose, ...bounds, unit, period });
    })
  );
}

function limited(written: number | null, rest: Omit<Budget, "limit">): Budget[] {
  return written === null ? [] : [{ ...rest, limit: toAmount(rest.unit, written) }];
}

/** Returns the amount that is left. Negative if the limit was lowered below the used amount. */
export function remainingOf({ limit, raised, used, reserved }: BudgetState): number {
  return limit + raised - used - reserved;
}

/** Returns the part of an amount that a budget in this unit counts: billionths of a dollar, or tokens. */
export function partOf({ nanos, tokens }: Amount, unit: BudgetUnit): number {
  return unit === "usd" ? nanos : tokens;
}

/** Converts a budget to dollars or tokens, for display. */
export function toFigures(state: BudgetState): BudgetFigures {
  const { unit, period, agentId, executionId = null, limit, raised, used, reserved, end } = state;
  return {
    budget: nameOf(state),
    unit,
    period,
    agentId,
    executionId,
    limit: fromAmount(unit, limit + raised),
    raised: fromAmount(unit, raised),
    used: fromAmount(unit, used),
    reserved: fromAmount(unit, reserved),
    left: fromAmount(unit, Math.max(0, remainingOf(state))),
    resetsAt: end,
  };
}

/** Returns the name of a budget's field, such as `per_day` or `tokens.tree`. */
export function nameOf({ unit, period }: Pick<Budget, "unit" | "period">): string {
  const name = period === "tree" ? "tree" : `per_${period}`;
  return unit === "usd" ? name : `tokens.${name}`;
}

/** Formats an internal amount (billionths of a dollar, or tokens), for example as `$2.00`, `$0.0031` or `5000 tokens`. */
export function formatAmount(unit: BudgetUnit, amount: number): string {
  if (unit === "tokens") return `${amount} tokens`;
  const usd = fromAmount(unit, amount);
  const isOfCents = Math.abs(usd * 100 - Math.round(usd * 100)) < 1e-6;
  return `$${usd.toFixed(isOfCents || usd >= 1 ? 2 : 4)}`;
}

/** Formats a budget with its limit, for example as `per_day ($2.00)` or `per_day ($9.00) of the workspace`. */
export function describeBudget(budget: Budget & { raised?: number }): string {
  const { unit, limit, raised = 0, agentId } = budget;
  const whose = agentId === null ? " of the workspace" : "";
  return `${nameOf(budget)} (${formatAmount(unit, limit + raised)})${whose}`;
}
