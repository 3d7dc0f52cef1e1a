// What was spent, what is set aside, and what was allowed beyond the limits, in SQLite. Spending is added up by quarters of an
// hour, of which the days of every zone are made; a tree's in one row.
import type { Amount, Budget, BudgetRaise, BudgetState } from "../executions/budget/budget.ts";
import {
  agentScope,
  leftOf,
  partOf,
  treeScope,
  WORKSPACE_SCOPE,
} from "../executions/budget/budget.ts";
import type {
  BudgetStore,
  NewReservation,
  ReservationRefusal,
} from "../executions/budget/budget_store.ts";
import { USAGE_STEP_MS } from "../executions/usage.ts";
import { DAY_MS } from "../../base/time_units.ts";
import type { Database } from "./database.ts";

/** What a period needs of the past: the longest month, and a day for the zones. */
const KEPT_MS = 32 * DAY_MS;
/** From this share of a limit on people are told. */
const NEAR = 0.8;

interface ReservationRow {
  id: number;
  agent_id: string | null;
  root_id: number | null;
  at: number;
  nanos: number;
  tokens: number;
}

/** Spending, as one service instance or another process of the workspace sees it. */
export class SqliteBudgetStore implements BudgetStore {
  readonly #db: Database;
  readonly #instanceId: string;

  constructor(db: Database, instanceId: string) {
    this.#db = db;
    this.#instanceId = instanceId;
  }

  reserve(wanted: NewReservation): Promise<{ id: number } | ReservationRefusal> {
    return this.#db.change("process", () => {
      const refusal = findRefusal(this.#db, wanted);
      if (refusal !== undefined) return refusal;
      // It has become cheaper, or there is more: schedules need not wait for what its last refused call needed.
      this.#db.run("DELETE FROM budget_refusals WHERE agent_id = ?", wanted.agentId);
      const { lastId } = this.#db.run(
        "INSERT INTO reservations (agent_id, execution_id, root_id, instance_id, at, nanos, tokens) " +
          "VALUES (?, ?, ?, ?, ?, ?, ?)",
        wanted.agentId,
        wanted.executionId,
        wanted.rootId,
        this.#instanceId,
        wanted.at,
        wanted.most.nanos,
        wanted.most.tokens,
      );
      return { id: lastId };
    });
  }

  settle(id: number, used: Amount, budgets: readonly Budget[]): Promise<BudgetState[]> {
    return this.#db.change("process", () => {
      const row = this.#db.get<ReservationRow>(
        "DELETE FROM reservations WHERE id = ? RETURNING *",
        id,
      );
      if (row === undefined) return [];
      book(this.#db, row, used);
      return readStates(this.#db, budgets).filter((state) =>
        state.used >= NEAR * (state.limit + state.raised) && warnOnce(this.#db, state)
      );
    });
  }

  settleAbandoned(): Promise<number> {
    return this.#db.change("power", () => {
      const rows = this.#db.all<ReservationRow>(
        "DELETE FROM reservations WHERE instance_id <> ? RETURNING *",
        this.#instanceId,
      );
      for (const row of rows) book(this.#db, row, row);
      return rows.length;
    });
  }

  readBudgets(budgets: readonly Budget[]): Promise<BudgetState[]> {
    // Who only looks may find a database that no service of this version has opened yet.
    const isThere = this.#db.get("SELECT 1 FROM sqlite_schema WHERE name = 'budget_periods'");
    if (isThere === undefined) {
      return Promise.resolve(budgets.map((one) => ({ ...one, raised: 0, used: 0, reserved: 0 })));
    }
    return Promise.resolve(readStates(this.#db, budgets));
  }

  raise(raise: BudgetRaise): Promise<void> {
    return this.#db.change("power", () => raiseBudget(this.#db, raise));
  }
}

/** Allows more in one period, as part of the transaction that is open. */
export function raiseBudget(db: Database, raise: BudgetRaise): void {
  db.run(
    "INSERT INTO budget_periods (scope, unit, period, start, raised) VALUES (?1, ?2, ?3, ?4, ?5) " +
      "ON CONFLICT (scope, unit, period, start) DO UPDATE SET raised = raised + ?5",
    raise.scope,
    raise.unit,
    raise.period,
    raise.start,
    raise.amount,
  );
}

/** The first of these budgets that an agent has used up: nothing is left, or less than its last refused call needs. */
export function findUsedUp(
  db: Database,
  agentId: string,
  budgets: readonly Budget[],
): BudgetState | undefined {
  return readStates(db, budgets).find((state) => {
    const left = state.limit + state.raised - state.used;
    const refused = db.get<{ need: number }>(
      "SELECT need FROM budget_refusals WHERE agent_id = ? AND scope = ? AND unit = ? AND period = ? AND start = ?",
      agentId,
      ...keyOf(state),
    );
    return left <= 0 || left < (refused?.need ?? 0);
  });
}

function findRefusal(db: Database, wanted: NewReservation): ReservationRefusal | undefined {
  for (const state of readStates(db, wanted.budgets)) {
    const need = partOf(wanted.most, state.unit);
    if (leftOf(state) >= need) continue;
    const isHeld = leftOf({ ...state, reserved: 0 }) >= need;
    // Who asks for nobody tells a person by itself.
    const isFinal = !isHeld && wanted.agentId !== null;
    if (isFinal) {
      db.run(
        "INSERT OR REPLACE INTO budget_refusals (agent_id, scope, unit, period, start, need) VALUES (?, ?, ?, ?, ?, ?)",
        wanted.agentId,
        ...keyOf(state),
        need,
      );
    }
    return { refused: state, need, isHeld, isNews: isFinal && warnOnce(db, state) };
  }
  return undefined;
}

/** Books what was used in every scope that it counts in, at the time when it was set aside. */
function book(db: Database, row: ReservationRow, used: Amount): void {
  const step = Math.floor(row.at / USAGE_STEP_MS) * USAGE_STEP_MS;
  add(db, { scope: WORKSPACE_SCOPE, step }, used);
  if (row.agent_id !== null) add(db, { scope: agentScope(row.agent_id), step }, used);
  if (row.root_id !== null) add(db, { scope: treeScope(row.root_id), step: 0 }, used);
}

function add(db: Database, { scope, step }: { scope: string; step: number }, used: Amount): void {
  db.run(
    "INSERT INTO spending (scope, step, nanos, tokens) VALUES (?1, ?2, ?3, ?4) " +
      "ON CONFLICT (scope, step) DO UPDATE SET nanos = nanos + ?3, tokens = tokens + ?4",
    scope,
    step,
    used.nanos,
    used.tokens,
  );
  // What no period needs any more; next to nothing, each time.
  if (step > 0) {
    const end = step - KEPT_MS;
    db.run("DELETE FROM spending WHERE scope = ? AND step < ?", scope, end);
    db.run("DELETE FROM budget_periods WHERE scope = ? AND start < ?", scope, end);
    db.run("DELETE FROM budget_refusals WHERE scope = ? AND start < ?", scope, end);
  }
}

function readStates(db: Database, budgets: readonly Budget[]): BudgetState[] {
  return budgets.map((budget) => {
    const { scope, unit, start } = budget;
    const column = unit === "usd" ? "nanos" : "tokens";
    const used = db.get<{ sum: number }>(
      `SELECT coalesce(sum(${column}), 0) AS sum FROM spending WHERE scope = ? AND step >= ?`,
      scope,
      start,
    );
    const [kind, whose = ""] = scope.split(/:(.*)/s, 2);
    const held = db.get<{ sum: number }>(
      `SELECT coalesce(sum(${column}), 0) AS sum FROM reservations WHERE at >= ?1 AND ` +
        "CASE ?2 WHEN 'agent' THEN agent_id = ?3 WHEN 'tree' THEN root_id = CAST(?3 AS INTEGER) ELSE true END",
      start,
      kind ?? "",
      whose,
    );
    const row = db.get<{ raised: number }>(
      "SELECT raised FROM budget_periods WHERE scope = ? AND unit = ? AND period = ? AND start = ?",
      ...keyOf(budget),
    );
    return {
      ...budget,
      raised: row?.raised ?? 0,
      used: used?.sum ?? 0,
      reserved: held?.sum ?? 0,
    };
  });
}

/** Whether people have not been told of this period's end yet; from now on they have. */
function warnOnce(db: Database, budget: Budget): boolean {
  return db.run(
    "INSERT INTO budget_periods (scope, unit, period, start, warned) VALUES (?, ?, ?, ?, 1) " +
      "ON CONFLICT (scope, unit, period, start) DO UPDATE SET warned = 1 WHERE warned = 0",
    ...keyOf(budget),
  ).changes === 1;
}

function keyOf({ scope, unit, period, start }: Budget): [string, string, string, number] {
  return [scope, unit, period, start];
}
