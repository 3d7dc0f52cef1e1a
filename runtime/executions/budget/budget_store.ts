// The tables of budgets: reservations, raised limits, and spending by quarter of an hour. In every time zone a day begins
// at a quarter of an hour.
import {
  type Amount,
  type Budget,
  type BudgetRaise,
  type BudgetState,
  type NewReservation,
  partOf,
  remainingOf,
  type ReservationRefusal,
} from "../budget.ts";
import { type AuditEntry, recordAudit } from "../../audit/audit_table.ts";
import { HOUR_MS, MINUTE_MS } from "../../../base/time_units.ts";
import type { Database } from "../../database/database.ts";
import { isAlive, NOW } from "../../database/instances.ts";
import {
  all,
  get,
  lock,
  type Operation,
  run,
  send,
  type SqlValue,
} from "../../database/operation.ts";
import { type PaidCall, SpendingTable } from "./spending_table.ts";

/** The maximum age in milliseconds of a transaction that a crash of the database can undo. */
const MAX_LOST_AGE_MS = MINUTE_MS;
/** The share of a limit above which people are warned. */
const NEAR = 0.8;

/**
 * The lifetime in milliseconds of reservations for a person's command, such as a draft or a trial. The command's process is
 * not listed as an instance, so its death is not noticed.
 */
const PERSONAL_CALL_MS = HOUR_MS;
/** SQL condition: a live instance made the reservation. */
const IS_MACHINE = "instance_id IN (SELECT id FROM instances)";
const IS_ALIVE = isAlive("reservations.instance_id");

/** SQL: the columns of a removed reservation. */
const RETURNING = "RETURNING agent_id AS agentId, root_id AS rootId, at, nanos, tokens";

/** Reserves amounts and counts spending in the database, for a service or another process of the workspace. */
export class SqlBudgetStore {
  readonly #db: Database;
  readonly #instanceId: string;
  /** The ids of this process's reservations that are not settled yet. */
  readonly #open = new Set<number>();
  readonly spending: SpendingTable;

  constructor(db: Database, instanceId: string, spending = new SpendingTable()) {
    this.#db = db;
    this.#instanceId = instanceId;
    this.spending = spending;
  }

  /**
   * Reserves an amount if every budget has enough left, and returns the reservation's id. Otherwise stores and returns the
   * refusal.
   */
  async reserve(wanted: NewReservation): Promise<{ id: number } | ReservationRefusal> {
    const instanceId = this.#instanceId;
    const outcome = await this.#db.change("soon", function* () {
      if (wanted.budgets.length > 0) yield* lock("budgets");
      const refusal = yield* findRefusal(wanted);
      if (refusal !== undefined) return refusal;
      // The call fits, so an earlier refusal of this agent is obsolete: the price fell, or the budget was raised. While a
      // refusal is stored, schedules skip runs.
      yield* send("DELETE FROM budget_refusals WHERE agent_id = ?", wanted.agentId);
      const reserved = yield* get<{ id: number }>(
        "INSERT INTO reservations (agent_id, execution_id, root_id, instance_id, at, nanos, tokens) " +
          "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        wanted.agentId,
        wanted.executionId,
        wanted.rootId,
        instanceId,
        wanted.at,
        wanted.most.nanos,
        wanted.most.tokens,
      );
      if (reserved === undefined) throw new TypeError("The statement returned no id");
      return { id: reserved.id };
    });
    if ("id" in outcome) this.#open.add(outcome.id);
    return outcome;
  }

  /**
   * Books the usage of a call and removes the call's reservation. Does nothing if the reservation is gone. Returns the
   * budgets that are nearly used up since this call, each once in a period.
   */
  async settle(id: number, used: Amount, budgets: readonly Budget[]): Promise<BudgetState[]> {
    const near = await this.#db.change("soon", () => this.#settle(id, used, budgets));
    this.#open.delete(id);
    return near;
  }

  *#settle(id: number, used: Amount, budgets: readonly Budget[]): Operation<BudgetState[]> {
    const row = yield* get<PaidCall & Amount>(
      `DELETE FROM reservations WHERE id = ? AND instance_id = ? ${RETURNING}`,
      id,
      this.#instanceId,
    );
    if (row === undefined) return [];
    yield* this.spending.book(row, used);
    const near: BudgetState[] = [];
    for (const state of yield* readStates(budgets)) {
      const isNear = state.used >= NEAR * (state.limit + state.raised);
      if (isNear && (yield* warnOnce(state))) near.push(state);
    }
    return near;
  }

  /**
   * Books abandoned reservations in full and returns their number. A reservation is abandoned if its instance is dead, or
   * if this process settled it long before `now` and a crash of the database undid that.
   */
  settleAbandoned(now: number): Promise<number> {
    const instanceId = this.#instanceId;
    const open = this.#open;
    const spending = this.spending;
    return this.#db.change("power", function* () {
      const rows = yield* all<PaidCall & Amount>(
        {
          sqlite: `DELETE FROM reservations WHERE instance_id <> ? ${RETURNING}`,
          postgres: `DELETE FROM reservations WHERE instance_id <> ? AND NOT ${IS_ALIVE} ` +
            `AND (${IS_MACHINE} OR at < ${NOW} - ${PERSONAL_CALL_MS}) ${RETURNING}`,
        },
        instanceId,
      );
      const old = yield* all<{ id: number }>(
        "SELECT id FROM reservations WHERE instance_id = ? AND at < ?",
        instanceId,
        now - MAX_LOST_AGE_MS,
      );
      for (const { id } of old.filter(({ id }) => !open.has(id))) {
        const sql = `DELETE FROM reservations WHERE id = ? ${RETURNING}`;
        rows.push(...yield* all<PaidCall & Amount>(sql, id));
      }
      for (const row of rows) yield* spending.book(row, row);
      return rows.length;
    });
  }

  /** Returns the budgets with their spending in the period. */
  readBudgets(budgets: readonly Budget[]): Promise<BudgetState[]> {
    return this.#db.read(function* () {
      // A read-only process may open a database that no service of this version has migrated yet.
      const isThere = yield* get({
        sqlite: "SELECT 1 FROM sqlite_schema WHERE name = 'budget_periods'",
        postgres: "SELECT 1",
      });
      if (isThere === undefined) {
        return budgets.map((one) => ({ ...one, raised: 0, used: 0, reserved: 0 }));
      }
      return yield* readStates(budgets);
    });
  }

  /** Raises a budget for one period. */
  raise(raise: BudgetRaise, audit?: AuditEntry): Promise<void> {
    return this.#db.change("power", function* () {
      yield* raiseBudget(raise);
      yield* recordAudit(audit);
    });
  }
}

/** Raises the limit of one period, in the open transaction. */
export function* raiseBudget(raise: BudgetRaise): Operation<void> {
  yield* send(
    "INSERT INTO budget_periods (scope, unit, period, start, raised) VALUES (?1, ?2, ?3, ?4, ?5) " +
      "ON CONFLICT (scope, unit, period, start) DO UPDATE SET raised = budget_periods.raised + ?5",
    raise.scope,
    raise.unit,
    raise.period,
    raise.start,
    raise.amount,
  );
}

/**
 * Returns an agent's first used-up budget: nothing is left, or less than the agent's last refused call needs. Undefined if
 * there is none.
 */
export function* findExhausted(
  agentId: string,
  budgets: readonly Budget[],
): Operation<BudgetState | undefined> {
  for (const state of yield* readStates(budgets)) {
    const left = state.limit + state.raised - state.used;
    const refused = yield* get<{ need: number }>(
      "SELECT need FROM budget_refusals WHERE agent_id = ? AND scope = ? AND unit = ? AND period = ? AND start = ?",
      agentId,
      ...periodKey(state),
    );
    if (left <= 0 || left < (refused?.need ?? 0)) return state;
  }
  return undefined;
}

function* findRefusal(wanted: NewReservation): Operation<ReservationRefusal | undefined> {
  for (const state of yield* readStates(wanted.budgets)) {
    const need = partOf(wanted.most, state.unit);
    // A call without cost is always allowed, even if the limit was lowered below the used amount.
    if (need === 0 || remainingOf(state) >= need) continue;
    const isTemporary = remainingOf({ ...state, reserved: 0 }) >= need;
    // Only refusals of agents' calls are stored. A person's command reports its own refusal.
    const isFinal = !isTemporary && wanted.agentId !== null;
    if (isFinal) {
      yield* send(
        "INSERT INTO budget_refusals (agent_id, scope, unit, period, start, need) VALUES (?1, ?2, ?3, ?4, ?5, ?6) " +
          "ON CONFLICT (agent_id, scope, unit, period, start) DO UPDATE SET need = ?6",
        wanted.agentId,
        ...periodKey(state),
        need,
      );
    }
    return { refused: state, need, isTemporary, isFirst: isFinal && (yield* warnOnce(state)) };
  }
  return undefined;
}

function* readStates(budgets: readonly Budget[]): Operation<BudgetState[]> {
  const states: BudgetState[] = [];
  for (const budget of budgets) {
    const { scope, unit, period, start } = budget;
    const column = unit === "usd" ? "nanos" : "tokens";
    const whose = reservationCondition(scope);
    // Read in one statement: a reservation that is settled between two statements would be counted in neither sum.
    const sums = yield* get<{ used: number; reserved: number; raised: number }>(
      `SELECT (SELECT coalesce(sum(${column}), 0) FROM spending WHERE scope = ?1 AND step >= ?2) AS used, ` +
        `(SELECT coalesce(sum(${column}), 0) FROM reservations WHERE at >= ?2${whose.condition}) AS reserved, ` +
        "coalesce((SELECT raised FROM budget_periods WHERE scope = ?1 AND unit = ?3 AND period = ?4 " +
        "AND start = ?2), 0) AS raised",
      scope,
      start,
      unit,
      period,
      ...whose.values,
    );
    if (sums === undefined) throw new TypeError("An aggregate returned no row");
    states.push({ ...budget, ...sums });
  }
  return states;
}

/**
 * Returns an SQL condition for the reservations of a scope, and its values. The condition's parameter is number 5, after
 * four others in the statement.
 */
function reservationCondition(scope: string): { condition: string; values: SqlValue[] } {
  const [kind, whose = ""] = scope.split(/:(.*)/s, 2);
  if (kind === "agent") return { condition: " AND agent_id = ?5", values: [whose] };
  if (kind === "tree") return { condition: " AND root_id = ?5", values: [Number(whose)] };
  return { condition: "", values: [] };
}

/** Records that the warning of a budget's period was sent. Returns true if it was not sent before. */
function* warnOnce(budget: Budget): Operation<boolean> {
  return (yield* run(
    "INSERT INTO budget_periods (scope, unit, period, start, warned) VALUES (?, ?, ?, ?, 1) " +
      "ON CONFLICT (scope, unit, period, start) DO UPDATE SET warned = 1 WHERE budget_periods.warned = 0",
    ...periodKey(budget),
  )) === 1;
}

function periodKey({ scope, unit, period, start }: Budget): [string, string, string, number] {
  return [scope, unit, period, start];
}
