// The tables of schedules and slots. A slot is a due time of a schedule with its outcome.
import type { ScheduleState, Slot, SlotExtras, StoredSlots } from "./slot_store.ts";
import { checkName, putSetting } from "../firing/check_setting.ts";
import type { Database } from "../../database/database.ts";
import { all, get, lock, type Operation, run, send } from "../../database/operation.ts";

const SLOT_COLUMNS = 'scheduled_for AS "scheduledFor", agent_id AS "agentId", outcome, reason, ' +
  'execution_id AS "executionId", count';

const SCHEDULE_COLUMNS = 'agent_id AS "agentId", fingerprint, anchor, last_fire AS "lastSlot"';

/** SQL: slots that ran and are later than the last slot of their schedule. They exist only after the clock was set back. */
const FIRED_SLOTS = 'SELECT slots.agent_id AS "agentId", scheduled_for AS at FROM schedules ' +
  "JOIN slots ON slots.agent_id = schedules.agent_id " +
  "AND scheduled_for > coalesce(last_fire, anchor) WHERE outcome = 'run' ";

/** SQL: the agents with slots before a time. Takes one index lookup per agent, independent of the number of slots. */
const AGENTS_WITH_OLD_SLOTS = `
WITH RECURSIVE agents (id) AS (
  SELECT min(agent_id) FROM slots
  UNION ALL
  SELECT (SELECT min(agent_id) FROM slots WHERE agent_id > id) FROM agents WHERE id IS NOT NULL
)
SELECT id FROM agents
WHERE id IS NOT NULL AND EXISTS (SELECT 1 FROM slots WHERE agent_id = id AND scheduled_for < ?)`;

/**
 * SQL: removes an agent's slots before a time, except the newest `keep`. If the agent has fewer rows, the subquery is NULL
 * and nothing is removed.
 */
const REMOVE_OLD_SLOTS = `
DELETE FROM slots WHERE agent_id = ?1 AND scheduled_for < ?2 AND scheduled_for < (
  SELECT scheduled_for FROM slots WHERE agent_id = ?1 ORDER BY scheduled_for DESC LIMIT 1 OFFSET ?3
)`;

/**
 * Returns true if a slot has an outcome: it has a row, or it is not after the last slot of its schedule. Runs in the
 * transaction that claims the slot.
 */
export function* isSlotTaken(agentId: string, scheduledFor: number): Operation<boolean> {
  return (yield* get(
    "SELECT 1 FROM schedules WHERE agent_id = ?1 AND last_fire >= ?2 " +
      "UNION ALL SELECT 1 FROM slots WHERE agent_id = ?1 AND scheduled_for = ?2 LIMIT 1",
    agentId,
    scheduledFor,
  )) !== undefined;
}

/**
 * Stores a slot without an outcome so far, in the open transaction. Advances its schedule to `lastSlot`, never backwards.
 * `lastSlot` is later than `slot` if the row covers several slots. Consecutive skipped slots with the same reason
 * share a row.
 */
export function* insertSlot(
  slot: Slot,
  lastSlot: number = slot.scheduledFor,
): Operation<void> {
  if (slot.outcome !== "skipped" || !(yield* extendSkipped(slot))) {
    yield* send(
      "INSERT INTO slots (agent_id, scheduled_for, outcome, reason, execution_id, count) " +
        "VALUES (?, ?, ?, ?, ?, ?)",
      slot.agentId,
      slot.scheduledFor,
      slot.outcome,
      slot.reason,
      slot.executionId,
      slot.count,
    );
  }
  yield* send(
    "UPDATE schedules SET last_fire = ?2 WHERE agent_id = ?1 AND coalesce(last_fire, ?2) <= ?2",
    slot.agentId,
    lastSlot,
  );
}

/**
 * Adds a skipped slot to the stored row of the previous skipped slots. Returns false if there is none. A schedule without a
 * last slot was just restarted, so its slots start a new row.
 */
function* extendSkipped(slot: Slot): Operation<boolean> {
  const changes = yield* run(
    "UPDATE slots SET count = count + ?3 WHERE agent_id = ?1 AND outcome = 'skipped' " +
      "AND reason IS NOT DISTINCT FROM ?2 AND execution_id IS NULL " +
      "AND scheduled_for = " +
      "(SELECT max(scheduled_for) FROM slots WHERE agent_id = ?1 AND scheduled_for < ?4) " +
      "AND EXISTS (SELECT 1 FROM schedules WHERE agent_id = ?1 AND last_fire IS NOT NULL)",
    slot.agentId,
    slot.reason,
    slot.count,
    slot.scheduledFor,
  );
  return changes > 0;
}

/**
 * Corrects the count of an agent's newest row that starts at or before `reached`, so that the count excludes slots after
 * `reached`.
 */
function* shortenNewest(
  agentId: string,
  { reached, countSince }: { reached: number; countSince: (first: number) => number },
): Operation<void> {
  const newest = yield* get<{ at: number; count: number }>(
    "SELECT scheduled_for AS at, count FROM slots WHERE agent_id = ? AND scheduled_for <= ? " +
      "ORDER BY scheduled_for DESC LIMIT 1",
    agentId,
    reached,
  );
  if (newest === undefined || newest.count === 1) return;
  yield* send(
    "UPDATE slots SET count = ? WHERE agent_id = ? AND scheduled_for = ?",
    Math.min(newest.count, countSince(newest.at)),
    agentId,
    newest.at,
  );
}

function withFired(state: ScheduleState, fired: { at: number }[] = []): ScheduleState {
  return { ...state, ...(fired.length > 0 && { fired: fired.map(({ at }) => at) }) };
}

/** Writes the messages about missed slots in the transaction that stores the slots. */
type SlotMessages = { record(event: { type: "missed"; slot: Slot }): Operation<void> };

/** Stores the slots and schedules of one database. Each method is one transaction. */
export class SqlSlotStore {
  readonly #db: Database;
  readonly #messages: SlotMessages;

  constructor(db: Database, messages: SlotMessages = { *record() {} }) {
    this.#db = db;
    this.#messages = messages;
  }

  readSchedules(): Promise<ScheduleState[]> {
    return this.#db.read(function* () {
      const schedules = yield* all<ScheduleState>(
        `SELECT ${SCHEDULE_COLUMNS} FROM schedules ORDER BY agent_id`,
      );
      if (schedules.length === 0) return schedules;
      const fired = Map.groupBy(
        yield* all<{ agentId: string; at: number }>(`${FIRED_SLOTS}ORDER BY scheduled_for`),
        ({ agentId }) => agentId,
      );
      return schedules.map((one) => withFired(one, fired.get(one.agentId)));
    });
  }

  /**
   * Starts a schedule, or restarts it in place of `before`. Returns its stored state. If another machine has already
   * started the same schedule, returns the state of that machine.
   */
  beginSchedule(
    { fired: _, ...state }: ScheduleState,
    before?: ScheduleState,
    { keepsRuns, countSince }: StoredSlots = { keepsRuns: false },
  ): Promise<ScheduleState> {
    const { agentId, fingerprint, anchor, lastSlot } = state;
    const reached = lastSlot ?? anchor;
    const readFired = () =>
      all<{ at: number }>(
        `${FIRED_SLOTS}AND schedules.agent_id = ? ORDER BY scheduled_for`,
        agentId,
      );
    return this.#db.change("process", function* () {
      yield* lock(`schedule ${agentId}`);
      const stored = yield* get<ScheduleState>(
        `SELECT ${SCHEDULE_COLUMNS} FROM schedules WHERE agent_id = ?`,
        agentId,
      );
      const isNew = stored !== undefined && stored.anchor !== before?.anchor;
      if (isNew && stored.fingerprint === fingerprint) return withFired(stored, yield* readFired());
      yield* send(
        "INSERT INTO schedules (agent_id, fingerprint, anchor, last_fire) VALUES (?1, ?2, ?3, ?4) " +
          "ON CONFLICT (agent_id) DO UPDATE SET fingerprint = ?2, anchor = ?3, last_fire = ?4",
        agentId,
        fingerprint,
        anchor,
        lastSlot,
      );
      yield* send(
        "DELETE FROM slots WHERE agent_id = ? AND scheduled_for > ?" +
          (keepsRuns ? " AND outcome <> 'run'" : ""),
        agentId,
        reached,
      );
      if (countSince !== undefined) yield* shortenNewest(agentId, { reached, countSince });
      return withFired(state, yield* readFired());
    });
  }

  /** Removes the states of ended schedules. Their slots are kept as history. */
  endSchedules(agentIds: readonly string[]): Promise<void> {
    return this.#db.change("process", function* () {
      for (const id of agentIds) {
        yield* send("DELETE FROM schedules WHERE agent_id = ?", id);
        yield* send("DELETE FROM settings WHERE key = ?", checkName(id));
      }
    });
  }

  /**
   * Stores slots that do not run, and advances their schedules. If a slot already has an outcome, another machine was
   * faster: nothing is stored for that agent. Returns the stored last slot of each such agent.
   */
  recordSlots(
    slots: readonly (Slot & SlotExtras)[],
  ): Promise<ReadonlyMap<string, number>> {
    const messages = this.#messages;
    return this.#db.change("power", function* () {
      const further = new Map<string, number>();
      for (const slot of slots) {
        const { agentId, scheduledFor } = slot;
        // The start of a scheduled run takes the same lock.
        yield* lock(`agent ${agentId}`);
        if (yield* isSlotTaken(agentId, scheduledFor)) {
          const stored = yield* get<{ last: number | null }>(
            "SELECT last_fire AS last FROM schedules WHERE agent_id = ?",
            agentId,
          );
          further.set(agentId, Math.max(stored?.last ?? scheduledFor, scheduledFor));
          continue;
        }
        yield* insertSlot(slot, slot.lastSlot);
        const { check, reported } = slot;
        if (check !== undefined) yield* putSetting(checkName(agentId), check);
        if (slot.outcome === "missed") yield* messages.record({ type: "missed", slot });
        if (reported !== undefined) {
          const { count, since } = reported;
          const failed = { ...slot, count, scheduledFor: since };
          yield* messages.record({ type: "missed", slot: failed });
        }
      }
      return further;
    });
  }

  /** Returns one page of an agent's slots, newest first. */
  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]> {
    return this.#db.read(function* () {
      return yield* all<Slot>(
        `SELECT ${SLOT_COLUMNS} FROM slots WHERE agent_id = ? ` +
          "ORDER BY scheduled_for DESC LIMIT ? OFFSET ?",
        agentId,
        page.limit,
        page.offset,
      );
    });
  }

  /** Removes slots before the time `before`, except the newest `keep` of each agent. Returns the number of removed rows. */
  purgeSlots({ before, keep }: { before: number; keep: number }): Promise<number> {
    return this.#db.change("process", function* () {
      let removed = 0;
      for (const { id } of yield* all<{ id: string }>(AGENTS_WITH_OLD_SLOTS, before)) {
        removed += yield* run(REMOVE_OLD_SLOTS, id, before, keep - 1);
      }
      return removed;
    });
  }
}
