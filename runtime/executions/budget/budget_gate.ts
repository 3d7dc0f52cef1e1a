// The budget check before every model call. A call waits if it would fit without the reservations of other calls, which may
// still return money. Any other call that does not fit is refused.
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { Context } from "../../config/context.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import { ModelError } from "../../models/model.ts";
import type {
  PlannedSpending,
  Reservation,
  Spending,
  SpendingGate,
} from "../../models/calls/spending.ts";
import type { FamilyStore, LineageMember } from "../record/family_store.ts";
import {
  agentScope,
  type Amount,
  type Budget,
  type BudgetState,
  describeBudget,
  periodBudgets,
  type ReservationRefusal,
  toNanos,
  treeBudgets,
  WORKSPACE_SCOPE,
} from "../budget.ts";
import type { SqlBudgetStore } from "./budget_store.ts";

/**
 * The interval in milliseconds at which a waiting call checks the budgets again. Other processes do not report when they
 * return reserved money.
 */
const RECHECK_MS = 5 * SECOND_MS;
/** The maximum number of entries in `#roots`. A full map is cleared. */
const MAX_ROOTS = 1_000;

/** Error: a call does not fit into a budget. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly budget: BudgetState;
  /** The maximum amount that the call may use, in the budget's unit. */
  readonly need: number;

  constructor({ refused, need }: ReservationRefusal) {
    super(`Budget ${describeBudget(refused)} is used up`);
    this.budget = refused;
    this.need = need;
  }
}

interface BudgetGatePorts extends Pick<Context, "clock" | "log" | "timeZone"> {
  store: SqlBudgetStore;
  families: Pick<FamilyStore, "readLineage">;
  /** Returns the current definition of an agent. */
  findAgent(id: string): Agent | undefined;
  settings: Pick<WorkspaceSettings, "config">;
  /** Called once in each period in which a budget is nearly used up. */
  warn?: (state: BudgetState) => void;
}

/** Reserves and books money for every model call of a workspace. */
export class BudgetGate implements SpendingGate {
  readonly #ports: BudgetGatePorts;
  /** Aborted when a call's reservation is settled, to wake the waiting calls. */
  #settled = new AbortController();
  /** The roots of executions, which never change. */
  readonly #roots = new Map<number, LineageMember>();
  /** The usage that could not be stored yet, by reservation id. */
  readonly #pending = new Map<number, { used: Amount; budgets: readonly Budget[] }>();

  constructor(ports: BudgetGatePorts) {
    this.#ports = ports;
  }

  /** Returns the daily and monthly budgets that apply to an agent's runs: the agent's and the workspace's. */
  budgetsOf(agent: Agent | undefined): Budget[] {
    const { settings: { config }, clock, timeZone } = this.#ports;
    const at = { now: clock.now(), timeZone };
    const own = agent === undefined
      ? []
      : periodBudgets(agent.budget, { scope: agentScope(agent.id), agentId: agent.id }, at);
    return [...own, ...periodBudgets(config.budget, { scope: WORKSPACE_SCOPE, agentId: null }, at)];
  }

  /**
   * Reserves the maximum cost and tokens of a call. Throws BudgetExceeded if a budget has too little left, ModelError if a
   * budget in dollars has no price for the model, and the signal's reason.
   */
  async reserve(call: PlannedSpending, signal: AbortSignal): Promise<Reservation> {
    const { store, findAgent, settings, clock, log } = this.#ports;
    for (let waited = false;; waited = true) {
      signal.throwIfAborted();
      const settled = this.#settled.signal;
      const agent = call.agent && (findAgent(call.agent.id) ?? call.agent);
      const root = await this.#rootOf(call.executionId);
      const budgets = [...this.budgetsOf(agent), ...this.#treeBudgets(root)];
      const { executionId } = call;
      const paid = {
        agentId: agent?.id ?? null,
        rootId: root?.executionId ?? null,
        at: clock.now(),
      };
      if (budgets.length === 0 && executionId !== undefined) {
        return {
          settle: (used) => {
            store.spending.bookLater(executionId, paid, toAmount(used));
            return Promise.resolve();
          },
        };
      }
      const most = await call.most();
      const { unpriced } = agent ?? settings.config.defaults;
      if (most.costUsd === null && unpriced === "refuse") refuseUnpriced(call, budgets);
      const wanted = {
        ...paid,
        executionId: executionId ?? null,
        // The cost of a call without a price is unknown until its end, so the call needs only a rest of each budget.
        most: { ...toAmount(most), ...(most.costUsd === null && { nanos: 1 }) },
        budgets,
      };
      await this.#bookPending();
      const outcome = await this.#retryStorage(() => store.reserve(wanted), signal);
      if ("id" in outcome) {
        const { id } = outcome;
        const warned = this.#ports.warn === undefined ? [] : budgets;
        return { settle: (used) => this.#book(id, { used: toAmount(used), budgets: warned }) };
      }
      if (outcome.isFirst) this.#ports.warn?.(outcome.refused);
      if (!outcome.isTemporary) throw new BudgetExceeded(outcome);
      if (!waited) {
        log.write("info", "Model call waits: the rest of a budget is reserved for other calls", {
          model: call.model,
          execution: call.executionId,
          budget: describeBudget(outcome.refused),
        });
      }
      await sleepUnlessAborted(clock, RECHECK_MS, AbortSignal.any([signal, settled]));
    }
  }

  async #rootOf(
    executionId: number | undefined,
  ): Promise<LineageMember | undefined> {
    if (executionId === undefined) return undefined;
    let root = this.#roots.get(executionId);
    if (root === undefined) {
      if (this.#roots.size === MAX_ROOTS) this.#roots.clear();
      root = (await this.#ports.families.readLineage(executionId)).at(-1);
      if (root !== undefined) this.#roots.set(executionId, root);
    }
    return root;
  }

  /** Returns the budgets of a tree: those of the first execution's agent, or the defaults if that agent is gone. */
  #treeBudgets(root: LineageMember | undefined): Budget[] {
    if (root === undefined) return [];
    const { findAgent, settings } = this.#ports;
    return treeBudgets(findAgent(root.agentId)?.budget ?? settings.config.defaults.budget, root);
  }

  /**
   * Stores the usage of a call. Never rejects: if storing fails, the amount stays reserved and the usage is stored later.
   */
  async #book(
    id: number,
    spent: { used: Amount; budgets: readonly Budget[] },
  ): Promise<void> {
    const { store, log, warn } = this.#ports;
    try {
      const near = await store.settle(id, spent.used, spent.budgets);
      this.#pending.delete(id);
      for (const state of near) warn?.(state);
    } catch (error) {
      this.#pending.set(id, spent);
      log.write("error", "The cost of a model call could not be stored; retrying later", { error });
    }
    this.#settled.abort();
    this.#settled = new AbortController();
  }

  async #bookPending(): Promise<void> {
    for (const [id, spent] of this.#pending) await this.#book(id, spent);
  }

  /** Repeats `store` while the storage is unavailable, with growing delays. */
  async #retryStorage<T>(store: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let ms = SECOND_MS;; ms = Math.min(2 * ms, MINUTE_MS)) {
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof RuntimeError && error.code === "storage")) throw error;
        this.#ports.log.write("warn", `A model call waits: ${error.message}`);
        await this.#ports.clock.sleep(ms, signal);
      }
    }
  }
}

function toAmount({ tokens, costUsd }: Spending): Amount {
  return { tokens, nanos: toNanos(costUsd ?? 0) };
}

function refuseUnpriced({ model }: PlannedSpending, budgets: readonly Budget[]): void {
  const budget = budgets.find(({ unit }) => unit === "usd");
  if (budget === undefined) return;
  throw new ModelError(
    `No price is known for ${model}, so budget ${
      describeBudget(budget)
    } refuses its calls: add a ` +
      "price to pricing.yaml, or set `unpriced: allow`",
    { retryable: false },
  );
}
