// The gate in front of every model call: is there money for it? Money that is set aside for other calls may come back, and
// is waited for; what is used up is not.
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { Config } from "../../config/config.ts";
import { ModelError } from "../../models/model.ts";
import type {
  PlannedSpending,
  Reservation,
  Spending,
  SpendingGate,
} from "../../models/spending.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { FamilyStore } from "../record/family_store.ts";
import {
  agentBudgets,
  type Amount,
  type Budget,
  type BudgetState,
  describeBudget,
  toNanos,
  treeBudgets,
  workspaceBudgets,
} from "./budget.ts";
import type { BudgetStore, ReservationRefusal } from "./budget_store.ts";

/** How long to wait for what is set aside elsewhere: another process tells nobody when it is done. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;

/** A call does not fit into a budget. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly budget: BudgetState;
  /** What the call may use at most, in the budget's unit. */
  readonly need: number;

  constructor({ refused, need }: ReservationRefusal) {
    super(`Budget ${describeBudget(refused)} is used up`);
    this.budget = refused;
    this.need = need;
  }
}

/** What the gate works with. */
export interface BudgetGatePorts {
  store: BudgetStore;
  families: Pick<FamilyStore, "readLineage">;
  /** The agent of an id as it is now. */
  findAgent(id: string): Agent | undefined;
  config: () => Pick<Config, "budget" | "defaults">;
  /** The zone of budgets that name none. */
  timeZone: () => string;
  clock: Clock;
  log: ServiceLog;
  /** Is told once of each period of a budget that comes near its end. */
  warn?: (state: BudgetState) => void;
}

/** Money for every call of a workspace. */
export class BudgetGate implements SpendingGate {
  readonly #ports: BudgetGatePorts;
  /** Aborts when money comes back. */
  #settled = new AbortController();
  /** What could not be booked yet. */
  readonly #unbooked = new Map<number, { used: Amount; budgets: readonly Budget[] }>();

  constructor(ports: BudgetGatePorts) {
    this.#ports = ports;
  }

  /** The budgets by day and month that an agent's runs count in: its own and the workspace's. */
  budgetsOf(agent: Agent | undefined): Budget[] {
    const { config, clock, timeZone } = this.#ports;
    const at = { now: clock.now(), timeZone: timeZone() };
    const own = agent === undefined ? [] : agentBudgets(agent, at);
    return [...own, ...workspaceBudgets(config().budget, at)];
  }

  /**
   * Sets the money for a call aside. Throws BudgetExceeded where it does not fit, ModelError where no price is known and a
   * budget wants one, and the signal's reason.
   */
  async reserve(call: PlannedSpending, signal: AbortSignal): Promise<Reservation> {
    const { store, findAgent, config, clock, log } = this.#ports;
    for (let waited = false;; waited = true) {
      signal.throwIfAborted();
      const settled = this.#settled.signal;
      const agent = call.agent && (findAgent(call.agent.id) ?? call.agent);
      const root = await this.#rootOf(call.executionId);
      const budgets = [...this.budgetsOf(agent), ...this.#treeBudgets(root)];
      const { unpriced } = agent ?? config().defaults;
      if (call.most.costUsd === null && unpriced === "refuse") refuseUnpriced(call, budgets);
      const wanted = {
        agentId: agent?.id ?? null,
        executionId: call.executionId ?? null,
        rootId: root?.executionId ?? null,
        at: clock.now(),
        most: toAmount(call.most),
        budgets,
      };
      await this.#bookLeft();
      const outcome = await this.#untilStored(() => store.reserve(wanted), signal);
      if ("id" in outcome) {
        const { id } = outcome;
        const told = this.#ports.warn === undefined ? [] : budgets;
        return { settle: (used) => this.#book(id, { used: toAmount(used), budgets: told }) };
      }
      if (outcome.isNews) this.#ports.warn?.(outcome.refused);
      if (!outcome.isHeld) throw new BudgetExceeded(outcome);
      if (!waited) {
        log.write("info", "Model call waits for money that is set aside for other calls", {
          model: call.model,
          execution: call.executionId,
          budget: describeBudget(outcome.refused),
        });
      }
      await sleepUnlessAborted(clock, LOOK_AGAIN_MS, AbortSignal.any([signal, settled]));
    }
  }

  async #rootOf(
    executionId: number | undefined,
  ): Promise<{ agentId: string; executionId: number } | undefined> {
    if (executionId === undefined) return undefined;
    return (await this.#ports.families.readLineage(executionId)).at(-1);
  }

  /** By the agent at the root; where that is gone, by what every agent has. */
  #treeBudgets(root: { agentId: string; executionId: number } | undefined): Budget[] {
    if (root === undefined) return [];
    const { findAgent, config } = this.#ports;
    return treeBudgets(findAgent(root.agentId)?.budget ?? config().defaults.budget, root);
  }

  /** Never rejects: what cannot be booked now stays set aside, and is booked later. */
  async #book(
    id: number,
    spent: { used: Amount; budgets: readonly Budget[] },
  ): Promise<void> {
    const { store, log, warn } = this.#ports;
    try {
      const near = await store.settle(id, spent.used, spent.budgets);
      this.#unbooked.delete(id);
      for (const state of near) warn?.(state);
    } catch (error) {
      this.#unbooked.set(id, spent);
      log.write("error", "The cost of a model call could not be booked; tried again", { error });
    }
    this.#settled.abort();
    this.#settled = new AbortController();
  }

  async #bookLeft(): Promise<void> {
    for (const [id, spent] of this.#unbooked) await this.#book(id, spent);
  }

  /** Waits while storage refuses, as a run does for everything else that it stores. */
  async #untilStored<T>(store: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
