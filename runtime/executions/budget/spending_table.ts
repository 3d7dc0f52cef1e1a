// The table of spending by scope and quarter of an hour. In every time zone a day begins at a quarter of an hour.
import { agentScope, type Amount, treeScope, WORKSPACE_SCOPE } from "../budget.ts";
import { USAGE_STEP_MS } from "../usage.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { afterCommit, insertRows, type Operation, send } from "../../database/operation.ts";

/**
 * The time in milliseconds for which spending is kept: the longest month, plus one day for the differences of time zones.
 */
const KEPT_MS = 32 * DAY_MS;

/** The budgets' scopes that a model call counts toward, and its time. */
export interface PaidCall {
  /** The agent's id. Null for a call without an agent. */
  agentId: string | null;
  /** The id of the tree's first execution. Null for a call without an execution. */
  rootId: number | null;
  /** The time of the call in milliseconds since the epoch. */
  at: number;
}

/** Adds up the spending in one database. */
export class SpendingTable {
  /** The quarter of an hour in which old rows were last removed. */
  #lastPurgedStep = 0;
  /** The spending that needed no reservation and is not stored yet, by execution id. */
  readonly #unstored = new Map<number, readonly (PaidCall & { used: Amount })[]>();

  /**
   * Adds an amount to the spending of the workspace, the agent and the tree, in the open transaction. Removes old rows once
   * in a quarter of an hour.
   */
  *book({ agentId, rootId, at }: PaidCall, used: Amount): Operation<void> {
    const step = Math.floor(at / USAGE_STEP_MS) * USAGE_STEP_MS;
    const scopes: [string, number][] = [[WORKSPACE_SCOPE, step]];
    if (agentId !== null) scopes.push([agentScope(agentId), step]);
    if (rootId !== null) scopes.push([treeScope(rootId), 0]);
    yield* insertRows(
      "INSERT INTO spending (scope, step, nanos, tokens)",
      scopes.map((scope) => [...scope, used.nanos, used.tokens]),
      {
        tail: " ON CONFLICT (scope, step) DO UPDATE SET nanos = spending.nanos + excluded.nanos, " +
          "tokens = spending.tokens + excluded.tokens",
      },
    );
    if (step <= this.#lastPurgedStep) return;
    yield* removeOld(step - KEPT_MS);
    yield* afterCommit(() => this.#lastPurgedStep = step);
  }

  /** Keeps the spending of a call in memory until the next change of its execution is stored. */
  bookLater(executionId: number, call: PaidCall, used: Amount): void {
    const earlier = this.#unstored.get(executionId) ?? [];
    this.#unstored.set(executionId, [...earlier, { ...call, used }]);
  }

  /** Stores the kept spending of an execution, in the open transaction that stores its reply or end. */
  *bookKept(executionId: number): Operation<void> {
    const kept = this.#unstored.get(executionId);
    if (kept === undefined) return;
    for (const call of kept) yield* this.book(call, call.used);
    yield* afterCommit(() => {
      const later = this.#unstored.get(executionId)?.slice(kept.length) ?? [];
      if (later.length === 0) this.#unstored.delete(executionId);
      else this.#unstored.set(executionId, later);
    });
  }
}

/** Removes rows that no budget's period needs. Keeps the rows of trees, whose step is 0. */
function* removeOld(end: number): Operation<void> {
  yield* send("DELETE FROM spending WHERE step > 0 AND step < ?", end);
  yield* send("DELETE FROM budget_periods WHERE start > 0 AND start < ?", end);
  yield* send("DELETE FROM budget_refusals WHERE start > 0 AND start < ?", end);
}
