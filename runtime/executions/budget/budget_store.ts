// The port to what was spent, what is set aside, and what was allowed beyond the limits.
import type { Amount, Budget, BudgetRaise, BudgetState } from "./budget.ts";

/** Money to be set aside for a call. */
export interface NewReservation {
  /** Null: nobody's. */
  agentId: string | null;
  executionId: number | null;
  /** The first execution above it. */
  rootId: number | null;
  at: number;
  most: Amount;
  /** Every budget that the call counts in. */
  budgets: readonly Budget[];
}

/** Why nothing was set aside. */
export interface ReservationRefusal {
  /** The first budget that the call does not fit into. */
  refused: BudgetState;
  /** What the call may use at most, in the budget's unit. */
  need: number;
  /** Whether it would fit if all that is set aside for other calls came back. */
  isHeld: boolean;
  /** Whether this is the first that is told of the budget's end in this period. */
  isNews: boolean;
}

/** Spending. Each method is one change and rejects with a RuntimeError of code `storage` where that cannot be done. */
export interface BudgetStore {
  /** Checks every budget and sets the money aside, or refuses and changes nothing but what is remembered of refusals. */
  reserve(wanted: NewReservation): Promise<{ id: number } | ReservationRefusal>;

  /**
   * Books what a call used in place of its reservation; nothing where that is gone. Returns those of `budgets` that have
   * come near their end in this period with it, each once.
   */
  settle(id: number, used: Amount, budgets: readonly Budget[]): Promise<BudgetState[]>;

  /**
   * Books in full what dead instances had set aside, and what this one has settled long before `now` but still stands: a
   * database that crashed has lost the last moment. Returns how many there were.
   */
  settleAbandoned(now: number): Promise<number>;

  /** The budgets as they stand. */
  readBudgets(budgets: readonly Budget[]): Promise<BudgetState[]>;

  /** Allows more in one period. */
  raise(raise: BudgetRaise): Promise<void>;
}
