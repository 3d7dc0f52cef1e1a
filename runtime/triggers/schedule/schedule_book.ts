// Keeps the schedules of all agents with their progress and due times. Stores changes of the progress. The scheduler
// decides when to process due schedules.
import { SLOT_REASONS } from "../../vocabulary/trigger_kinds.ts";
import type { Agent } from "../../agents/agent.ts";
import { nextTurn, toTimestamp } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/time_units.ts";
import type { DueSlots } from "./due_slots.ts";
import { isTriggeredBy, type ReconcileOptions, type TriggeredAgent } from "../firing/fire.ts";
import type { TriggerContext } from "../firing/trigger_context.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { moveBack } from "./set_back.ts";
import type { ScheduleState } from "./slot_store.ts";
import type { SqlSlotStore } from "./slots.ts";

/** The time after which a missing agent file ends its schedule. If the file is back earlier, the schedule continues. */
const AWAY_MS = HOUR_MS;
/** The number of schedules to start before other work of the process continues. */
const BEGUN_AT_ONCE = 50;

type ScheduledAgent = TriggeredAgent<"schedule" | "change">;

/** The schedule of one agent and its progress. */
export interface ScheduleEntry {
  agent: ScheduledAgent;
  readonly schedule: Schedule;
  readonly state: ScheduleState;
  /** The time up to which slots were due while no service checked them, and the reason for that. */
  readonly unseen: { until: number; because: string };
  /** The time at which the entry is due; Infinity if it never is, or while its due slots are processed. */
  dueAt: number;
  /** True when the last attempt to start a run or to store a slot failed. */
  hasFailed: boolean;
  /** The last slot processed before the clock was set back; 0 if the clock was not set back. */
  readonly ranUntil: number;
}

/** The collaborators of the scheduler and its schedules. */
export interface SchedulerPorts extends
  Pick<
    TriggerContext,
    "clock" | "log" | "timeZone" | "start" | "isPaused" | "findHoldReason" | "isShared"
  > {
  stops: Pick<TriggerContext["stops"], "admits" | "reasonOf">;
  slots: SqlSlotStore;
  /** Starts a check of an agent's source, which stores the outcome of the slot. */
  check: (agent: TriggeredAgent<"change">, scheduledFor: number) => void;
}

/** The schedules of all agents. */
export class ScheduleBook {
  readonly #ports: SchedulerPorts;
  readonly #entries = new Map<string, ScheduleEntry>();
  /** For each agent whose file is missing: the time at which that was noticed, in milliseconds since the epoch. */
  readonly #awaySince = new Map<string, number>();
  /** Schedules that were moved back with the clock and that the log has not reported yet. */
  #movedBack: ScheduleEntry[] = [];
  /** The stored states of agents without an entry; undefined before the first read of the database. */
  #stored: Map<string, ScheduleState> | undefined;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
  }

  /** The earliest due time of all schedules; Infinity if no schedule is due in the future. */
  get firstDue(): number {
    return this.#entries.values().reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity);
  }

  /**
   * Returns the next `limit` slots of an agent at or after `from`. Excludes slots in the past and slots that already ran.
   */
  nextRuns(agentId: string, { limit, from = 0 }: { limit: number; from?: number }): number[] {
    const entry = this.#entries.get(agentId);
    if (entry === undefined) return [];
    const { anchor, lastSlot } = entry.state;
    const times: number[] = [];
    let last = Math.max(lastSlot ?? anchor, this.#ports.clock.now(), from - 1);
    while (times.length < limit) {
      const next = nextOpen(entry, last);
      if (next === null) break;
      times.push(next);
      last = next;
    }
    return times;
  }

  /** Returns the last slot processed before the clock was set back, or null if the clock has reached it again. */
  ranUntil(agentId: string): number | null {
    const ranUntil = this.#entries.get(agentId)?.ranUntil ?? 0;
    return ranUntil > this.#ports.clock.now() ? ranUntil : null;
  }

  /**
   * Updates the schedules from a list of agents: starts new ones, restarts changed ones, and ends those of missing agents.
   */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    const because = this.#stored === undefined ? SLOT_REASONS.down : "its file was away";
    this.#stored ??= new Map(
      (await this.#ports.slots.readSchedules()).map((state) => [state.agentId, state]),
    );
    await this.#end(agents, options);
    const timeZone = this.#ports.timeZone();
    let begun = 0;
    for (const agent of agents.filter(isScheduled)) {
      if (options.isElsewhere?.(agent.id)) continue;
      const entry = this.#entries.get(agent.id);
      // Agent objects are immutable, so the schedule of the same object is unchanged.
      if (entry?.agent === agent) continue;
      const schedule = createSchedule(agent.trigger, { timeZone, agentId: agent.id });
      if (entry?.schedule.fingerprint === schedule.fingerprint) {
        entry.agent = agent;
      } else {
        await this.#begin(agent, { schedule, because });
        if (++begun % BEGUN_AT_ONCE === 0) await nextTurn();
      }
    }
    this.#reportMovedBack();
  }

  /** Moves all schedules back after the wall clock was set back by `byMs`. */
  async moveBack(byMs: number): Promise<void> {
    const now = this.#ports.clock.now();
    for (const { agent, schedule, state } of [...this.#entries.values()]) {
      if (moveBack(state, { schedule, now, byMs }) === undefined) continue;
      await this.#begin(agent, { schedule, because: "", byMs });
    }
    this.#reportMovedBack();
  }

  /**
   * Returns up to `limit` due entries, longest due first, which then are no longer due. The caller makes each due again with
   * `advance()` or `postpone()`.
   */
  takeDue(now: number, limit: number): ScheduleEntry[] {
    const due = this.#entries.values().filter(({ dueAt }) => dueAt <= now).toArray();
    const taken = due.sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
    for (const entry of taken) entry.dueAt = Infinity;
    return taken;
  }

  /**
   * Returns the due slots of an entry that have no outcome. If a slot among them already ran before the clock was set back,
   * returns only the slots before it.
   */
  dueSlots(
    { schedule, state: { anchor, lastSlot, fired = [] } }: ScheduleEntry,
    now: number,
  ): DueSlots & { isNewest: boolean } | null {
    let from = lastSlot ?? anchor;
    const ran = fired.filter((at) => at > from && at <= now);
    for (const to of [...ran.map((at) => at - 1), now]) {
      const due = schedule.slotsIn({ from, to, anchor });
      if (due !== null) return { ...due, isNewest: to === now };
      from = to + 1;
    }
    return null;
  }

  /**
   * Records that all slots up to `lastSlot` have an outcome. The entry is due at its next slot. Null leaves the progress
   * unchanged.
   */
  advance(entry: ScheduleEntry, lastSlot: number | null): void {
    if (lastSlot !== null) entry.state.lastSlot = lastSlot;
    entry.hasFailed = false;
    entry.dueAt = nextDue(entry);
  }

  /** Makes an entry due again at the time `until`, because its slot could not be stored or started. */
  postpone(entry: ScheduleEntry, until: number): void {
    entry.hasFailed = true;
    entry.dueAt = until;
  }

  async #end(
    agents: readonly Agent[],
    { isUnreadable, isElsewhere = () => false }: ReconcileOptions,
  ): Promise<void> {
    const listed = new Map(agents.map((agent) => [agent.id, agent]));
    const { isShared, clock } = this.#ports;
    const known = new Set([...this.#entries.keys(), ...this.#stored?.keys() ?? []]);
    const over: string[] = [];
    for (const id of known) {
      const agent = listed.get(id);
      const entry = this.#entries.get(id);
      const isWanted = agent === undefined ? isUnreadable(id) : isScheduled(agent);
      const awaySince = this.#awaySince.get(id);
      const isLongAway = clock.now() - (awaySince ?? Infinity) >= AWAY_MS;
      if (agent !== undefined) this.#awaySince.delete(id);
      if (isWanted && !isLongAway && !isElsewhere(id)) continue;
      // The schedule is removed before the database is changed, so that it does not fire even if the change fails.
      if (entry !== undefined) this.#stored?.set(id, entry.state);
      this.#entries.delete(id);
      if (isLongAway || agent !== undefined && !isWanted) over.push(id);
      // With a shared database, an agent without an entry may exist on another machine only. Its schedule must not end.
      else if (agent === undefined && (!isShared || entry !== undefined)) {
        this.#awaySince.set(id, awaySince ?? clock.now());
      }
    }
    if (over.length === 0) return;
    await this.#ports.slots.endSchedules(over);
    for (const id of over) this.#stored?.delete(id);
  }

  async #begin(
    agent: ScheduledAgent,
    { schedule, because, byMs = 0 }: { schedule: Schedule; because: string; byMs?: number },
  ): Promise<void> {
    const { clock, slots } = this.#ports;
    const now = clock.now();
    const { id: agentId } = agent;
    const { fingerprint } = schedule;
    const known = this.#entries.get(agentId);
    const before = known?.state ?? this.#stored?.get(agentId);
    const isSame = before?.fingerprint === fingerprint;
    const moved = isSame ? moveBack(before, { schedule, now, byMs }) : undefined;
    const state = isSame && moved === undefined ? before : await slots.beginSchedule(
      moved ?? { agentId, fingerprint, anchor: now, lastSlot: null },
      before,
      { keepsRuns: !schedule.isElapsed, ...(moved && { countSince: countUntil(moved, schedule) }) },
    );
    this.#stored?.delete(agentId);
    const unseen = known?.unseen ?? { until: now, because };
    const ranUntil = Math.max(
      known?.ranUntil ?? 0,
      moved && schedule.isElapsed && before?.lastSlot || 0,
      state.fired?.at(-1) ?? 0,
    );
    const entry = { agent, schedule, state, unseen, dueAt: 0, hasFailed: false, ranUntil };
    entry.dueAt = nextDue(entry);
    this.#entries.set(agentId, entry);
    if (moved !== undefined) this.#movedBack.push(entry);
  }

  #reportMovedBack(): void {
    const entries = this.#movedBack.splice(0);
    const [first] = entries;
    if (first === undefined) return;
    const latest = (times: (number | null)[]) => {
      const known = times.flatMap((at) => at ?? []);
      return known.length === 0 ? undefined : toTimestamp(Math.max(...known));
    };
    const message =
      "The clock was set back: intervals go on by elapsed time, and no due time runs " +
      "twice";
    this.#ports.log.write("warn", message, {
      ...(entries.length === 1 ? { agent: first.agent.id } : { agents: entries.length }),
      ranUntil: latest(entries.map(({ agent }) => this.ranUntil(agent.id))),
      nextRun: latest(entries.flatMap(({ agent }) => this.nextRuns(agent.id, { limit: 1 }))),
    });
  }
}

/** Returns the time of the next slot without an outcome, or Infinity if there is none. */
function nextDue(entry: ScheduleEntry): number {
  return nextOpen(entry, entry.state.lastSlot ?? entry.state.anchor) ?? Infinity;
}

/** Returns the first slot after `after` that has not run, or null if there is none. */
function nextOpen({ schedule, state: { anchor, fired } }: ScheduleEntry, after: number) {
  let next = schedule.nextAfter(after, anchor);
  while (next !== null && fired?.includes(next)) next = schedule.nextAfter(next, anchor);
  return next;
}

/** Returns a function. It counts the slots from a first slot to the last slot of the state, both included. */
function countUntil({ anchor, lastSlot }: ScheduleState, schedule: Schedule) {
  const to = lastSlot ?? anchor;
  // The first slot is the anchor here, because a stored row may come from a schedule with another anchor.
  return (first: number) => 1 + (schedule.slotsIn({ from: first, to, anchor: first })?.count ?? 0);
}

function isScheduled(agent: Agent): agent is ScheduledAgent {
  return isTriggeredBy(agent, "schedule", "change");
}
