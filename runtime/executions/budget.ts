// Budgets: their type, the budgets of an agent, a tree and the workspace, and their units. The store counts the spending;
// budget_gate.ts decides.
import type { Agent } from "../agents/agent.ts";
import { roundCost } from "../../base/cost.ts";
import type {
  AgentBudget,
  BudgetPeriod,
  BudgetUnit,
  WorkspaceBudget,
} from "../config/agent_settings.ts";

/** A limit that holds now. Money is in billionths of a dollar, so that sums are exact; times are in milliseconds. */
export interface Budget {
  /** The spender, in the store's notation: see agentScope() and treeScope(). */
  scope: string;
  unit: BudgetUnit;
  period: BudgetPeriod;
  /** The period's beginning (0 for a tree) and end (null for a tree). */
  start: number;
  end: number | null;
  limit: number;
  /** The agent whose file or defaults set the limit; null: config.yaml's budget of the workspace. */
  agentId: string | null;
  /** The first execution of a tree. */
  executionId?: number;
}

/** A budget with its spending in this period. `reserved` is set aside for calls in progress. */
export interface BudgetState extends Budget {
  raised: number;
  used: number;
  reserved: number;
}

/** A reservation to be made for a call. */
export interface NewReservation {
  /** Null: the call belongs to no agent. */
  agentId: string | null;
  executionId: number | null;
  /** The root of the execution's tree. */
  rootId: number | null;
  at: number;
  most: Amount;
  /** Every budget that the call counts in. */
  budgets: readonly Budget[];
}

/** The refusal of a reservation. */
export interface ReservationRefusal {
  /** The first budget that the call does not fit into. */
  refused: BudgetState;
  /** The most that the call may use, in the budget's unit. */
  need: number;
  /** True: the call would fit if all reservations were returned. */
  isTemporary: boolean;
  /** True: the first refusal by this budget in its period. */
  isFirst: boolean;
}

/** A budget for people, in dollars or tokens. `limit` includes the raises; `left` excludes the reservations. */
export interface BudgetFigures {
  /** `per_day`, `tokens.tree` */
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
  /** When the period ends; null for a tree. */
  resetsAt: number | null;
}

/** The usage of a call, or its upper bound. */
export interface Amount {
  nanos: number;
  tokens: number;
}

/** A raise of a budget for one period. */
export interface BudgetRaise extends Pick<Budget, "scope" | "unit" | "period" | "start"> {
  amount: number;
}

/** The raise that a budget question asks to approve. `budget` describes the budget in the refusal's error. */
export interface RequestedRaise extends BudgetRaise {
  budget: string;
}

const NANOS_PER_DOLLAR = 1_000_000_000;

/** Converts dollars to billionths, rounded up. */
export function toNanos(usd: number): number {
  return Math.ceil(roundCost(usd * NANOS_PER_DOLLAR));
}

/** Converts an internal amount to dollars or tokens. */
export function fromAmount(unit: BudgetUnit, amount: number): number {
  return unit === "usd" ? roundCost(amount / NANOS_PER_DOLLAR) : amount;
}

/** Converts dollars or tokens to an internal amount. */
export function toAmount(unit: BudgetUnit, written: number): number {
  return unit === "usd" ? toNanos(written) : Math.ceil(written);
}

/** The scope of an agent's runs. */
export function agentScope(id: string): string {
  return `agent:${id}`;
}

/** The scope of an execution and its descendants. */
export function treeScope(rootId: number): string {
  return `tree:${rootId}`;
}

/** The scope of the whole workspace. */
export const WORKSPACE_SCOPE = "workspace";

/** A moment, and the time zone of budgets that set none. */
export interface BudgetMoment {
  now: number;
  timeZone: string;
}

/** Returns an agent's budgets by day and month. */
export function agentBudgets(
  { id, budget }: Pick<Agent, "id" | "budget">,
  at: BudgetMoment,
): Budget[] {
  return periodBudgets(budget, { scope: agentScope(id), agentId: id }, at);
}

/** Returns the workspace's budgets by day and month. */
export function workspaceBudgets(budget: WorkspaceBudget, at: BudgetMoment): Budget[] {
  return periodBudgets(budget, { scope: WORKSPACE_SCOPE, agentId: null }, at);
}

/** Returns the budgets of a run and its delegated runs. The agent at the root sets them. */
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

function periodBudgets(
  { perDay, perMonth, tokens, timezone }: WorkspaceBudget,
  whose: Pick<Budget, "scope" | "agentId">,
  { now, timeZone }: BudgetMoment,
): Budget[] {
  const limits = [perDay, perMonth, tokens.perDay, tokens.perMonth];
  if (limits.every((limit) => limit === null)) return [];
  const [day, month] = periodsOf(now, timezone ?? timeZone);
  return [
    ...limited(perDay, { ...whose, ...day, unit: "usd" }),
    ...limited(perMonth, { ...whose, ...month, unit: "usd" }),
    ...limited(tokens.perDay, { ...whose, ...day, unit: "tokens" }),
    ...limited(tokens.perMonth, { ...whose, ...month, unit: "tokens" }),
  ];
}

function limited(written: number | null, rest: Omit<Budget, "limit">): Budget[] {
  return written === null ? [] : [{ ...rest, limit: toAmount(rest.unit, written) }];
}

type Period = Pick<Budget, "period" | "start" | "end">;

/** Returns the day and the month of a moment in a zone. A day may have 23 or 25 hours. */
function periodsOf(now: number, timeZone: string): [Period, Period] {
  const date = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const first = date.with({ day: 1 });
  const at = (one: Temporal.PlainDate) => one.toZonedDateTime(timeZone).epochMilliseconds;
  return [
    { period: "day", start: at(date), end: at(date.add({ days: 1 })) },
    { period: "month", start: at(first), end: at(first.add({ months: 1 })) },
  ];
}

/** Returns the amount left: negative after the limit was lowered. */
export function remainingOf({ limit, raised, used, reserved }: BudgetState): number {
  return limit + raised - used - reserved;
}

/** Returns the part of an amount that counts in a unit. */
export function partOf({ nanos, tokens }: Amount, unit: BudgetUnit): number {
  return unit === "usd" ? nanos : tokens;
}

/** Converts a budget to its figures for people. */
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

/** Returns the name of the budget's field: `per_day`, `tokens.tree`. */
export function nameOf({ unit, period }: Pick<Budget, "unit" | "period">): string {
  const name = period === "tree" ? "tree" : `per_${period}`;
  return unit === "usd" ? name : `tokens.${name}`;
}

/** Formats an amount: `$2.00`, `$0.0031`, `5000 tokens`. */
export function formatAmount(unit: BudgetUnit, amount: number): string {
  if (unit === "tokens") return `${amount} tokens`;
  const usd = fromAmount(unit, amount);
  const isOfCents = Math.abs(usd * 100 - Math.round(usd * 100)) < 1e-6;
  return `$${usd.toFixed(isOfCents || usd >= 1 ? 2 : 4)}`;
}

/** Formats a budget with its limit: `per_day ($2.00)`, `per_day ($9.00) of the workspace`. */
export function describeBudget(budget: Budget & { raised?: number }): string {
  const { unit, limit, raised = 0, agentId } = budget;
  const whose = agentId === null ? " of the workspace" : "";
  return `${nameOf(budget)} (${formatAmount(unit, limit + raised)})${whose}`;
}
