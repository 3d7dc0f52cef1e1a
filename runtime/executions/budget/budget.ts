// What a budget is: whose, of what, for which period, and how people read it. The store counts; budget_gate.ts decides.
import type { Agent } from "../../agents/agent.ts";
import { roundCost } from "../../../base/cost.ts";
import type {
  AgentBudget,
  BudgetPeriod,
  BudgetUnit,
  WorkspaceBudget,
} from "../../config/agent_settings.ts";

/** A limit that holds now. Amounts of money are billionths of a dollar, so that sums are exact; times are milliseconds. */
export interface Budget {
  /** Whose spending it bounds, as the store knows it. */
  scope: string;
  unit: BudgetUnit;
  period: BudgetPeriod;
  /** When the period began, 0 for a tree, and when it ends, null for a tree. */
  start: number;
  end: number | null;
  limit: number;
  /** Whose file, or whose defaults, it stands in; null: config.yaml's own, for the workspace. */
  agentId: string | null;
  /** The first execution of a tree. */
  executionId?: number;
}

/** A budget with what has become of it. `reserved`: set aside for calls that are being made. */
export interface BudgetState extends Budget {
  raised: number;
  used: number;
  reserved: number;
}

/** A budget as people read it: in dollars or tokens. `limit` is with what was raised, `left` less what is set aside. */
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

/** What a call uses, or may use at most. */
export interface Amount {
  nanos: number;
  tokens: number;
}

/** More for one period of a budget. */
export interface BudgetRaise extends Pick<Budget, "scope" | "unit" | "period" | "start"> {
  amount: number;
}

/** What the approval of a question allows. `budget` is how the budget is called when it is refused. */
export interface AskedRaise extends BudgetRaise {
  budget: string;
}

const NANOS_PER_DOLLAR = 1_000_000_000;

/** Dollars as a whole number of billionths, rounded up. */
export function toNanos(usd: number): number {
  return Math.ceil(roundCost(usd * NANOS_PER_DOLLAR));
}

/** An amount of a unit as people write it: dollars, or tokens. */
export function fromAmount(unit: BudgetUnit, amount: number): number {
  return unit === "usd" ? roundCost(amount / NANOS_PER_DOLLAR) : amount;
}

/** What people write, as an amount of a unit. */
export function toAmount(unit: BudgetUnit, written: number): number {
  return unit === "usd" ? toNanos(written) : Math.ceil(written);
}

/** The scope of all that an agent spends. */
export function agentScope(id: string): string {
  return `agent:${id}`;
}

/** The scope of an execution and all below it. */
export function treeScope(rootId: number): string {
  return `tree:${rootId}`;
}

/** The scope of everything. */
export const WORKSPACE_SCOPE = "workspace";

/** The moment, and the zone of budgets that name none. */
export interface BudgetMoment {
  now: number;
  timeZone: string;
}

/** The budgets of an agent by day and month. */
export function agentBudgets(
  { id, budget }: Pick<Agent, "id" | "budget">,
  at: BudgetMoment,
): Budget[] {
  return periodBudgets(budget, { scope: agentScope(id), agentId: id }, at);
}

/** Those of the workspace. */
export function workspaceBudgets(budget: WorkspaceBudget, at: BudgetMoment): Budget[] {
  return periodBudgets(budget, { scope: WORKSPACE_SCOPE, agentId: null }, at);
}

/** Those of a run and all that it delegates to, by the budget of the agent that it is a run of. */
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

/** The day and the month that a moment lies in, in a zone. A day may have 23 or 25 hours. */
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

/** What is left of it; less than nothing where it was lowered. */
export function leftOf({ limit, raised, used, reserved }: BudgetState): number {
  return limit + raised - used - reserved;
}

/** The part of an amount that counts in a unit. */
export function partOf({ nanos, tokens }: Amount, unit: BudgetUnit): number {
  return unit === "usd" ? nanos : tokens;
}

/** A budget as people read it. */
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
    left: fromAmount(unit, Math.max(0, leftOf(state))),
    resetsAt: end,
  };
}

/** A budget by the name of its field: `per_day`, `tokens.tree`. */
export function nameOf({ unit, period }: Pick<Budget, "unit" | "period">): string {
  const name = period === "tree" ? "tree" : `per_${period}`;
  return unit === "usd" ? name : `tokens.${name}`;
}

/** An amount as people read it: `$2.00`, `$0.0031`, `5000 tokens`. */
export function showAmount(unit: BudgetUnit, amount: number): string {
  if (unit === "tokens") return `${amount} tokens`;
  const usd = fromAmount(unit, amount);
  const isOfCents = Math.abs(usd * 100 - Math.round(usd * 100)) < 1e-6;
  return `$${usd.toFixed(isOfCents || usd >= 1 ? 2 : 4)}`;
}

/** `per_day ($2.00)`; the workspace's says so. */
export function describeBudget(budget: Budget & { raised?: number }): string {
  const { unit, limit, raised = 0, agentId } = budget;
  const whose = agentId === null ? " of the workspace" : "";
  return `${nameOf(budget)} (${showAmount(unit, limit + raised)})${whose}`;
}
