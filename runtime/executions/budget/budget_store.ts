// The port to spending, reservations and raises.
import type { Amount, Budget, BudgetRaise, BudgetState } from "../budget.ts";

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

/** Stores spending. Each method is one transaction and rejects with a RuntimeError of code `storage` when that fails. */
export interface BudgetStore {
  /** Reserves the money if it fits into every budget. Otherwise stores only the refusal. */
  reserve(wanted: NewReservation): Promise<{ id: number } | ReservationRefusal>;

  /**
   * Books the usage of a call and removes its reservation; does nothing if that is gone. Returns the budgets that this
   * call brought near their limit, each once in a period.
   */
  settle(id: number, used: Amount, budgets: readonly Budget[]): Promise<BudgetState[]>;

  /**
   * Books abandoned reservations in full and returns their number. Abandoned are those of dead instances, and those that
   * this one settled long before `now`: a crashed database may have lost the settlement.
   */
  settleAbandoned(now: number): Promise<number>;

  /** Reads the budgets with their spending. */
  readBudgets(budgets: readonly Budget[]): Promise<BudgetState[]>;

  /** Raises a budget for one period. */
  raise(raise: BudgetRaise): Promise<void>;
}
