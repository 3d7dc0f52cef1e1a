// The schedules of all agents, their progress, and the order in which they are due. Kept in step with the agents and
// the store. The scheduler decides when to read it.
import { SLOT_REASONS } from "../../vocabulary/trigger_kinds.ts";
import { setImmediate } from "node:timers/promises";
import type { Agent, ScheduleTrigger } from "../../agents/agent.ts";
import { type Clock, toTimestamp } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/time_units.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { DueQueue } from "./due_queue.ts";
import type { DueSlots } from "./due_slots.ts";
import type { ReconcileOptions } from "../firing/reconcile_options.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { moveBack } from "./set_back.ts";
import type { ScheduleState, SlotStore } from "./slot_store.ts";

/** An agent whose file was absent for less than this keeps its schedule's progress. */
const AWAY_MS = HOUR_MS;
/** The number of schedules that start before other work continues. */
const BEGUN_AT_ONCE = 50;

type ScheduledAgent = Agent & { trigger: ScheduleTrigger };

/** The schedule of one agent. */
export interface ScheduleEntry {
  agent: ScheduledAgent;
  readonly schedule: Schedule;
  readonly state: ScheduleState;
  /** Slots up to this time were due while nobody checked, and the reason. */
  readonly unseen: { until: number; because: string };
  /** True when its last start failed. */
  hasFailed: boolean;
  /** The last time that it ran for before the clock was set back; 0 when it was not set back. */
  readonly ranUntil: number;
}

/** The collaborators of `ScheduleBook`. */
export interface ScheduleBookPorts {
  store: SlotStore;
  clock: Clock;
  log: ServiceLog;
  /** The machine's IANA zone. */
  timeZone: string;
  /** True when several machines share the store. */
  isShared?: boolean;
}

/** The schedules of all agents. */
export class ScheduleBook {
  readonly #ports: ScheduleBookPorts;
  readonly #entries = new Map<string, ScheduleEntry>();
  readonly #queue = new DueQueue();
  /** The time at which each absent agent file was first missed. */
  readonly #awaySince = new Map<string, number>();
  /** Schedules that moved back with the clock and are not logged yet. */
  #movedBack: ScheduleEntry[] = [];
  /** The stored states of agents without an entry; undefined until they are read. */
  #stored: Map<string, ScheduleState> | undefined;

  constructor(ports: ScheduleBookPorts) {
    this.#ports = ports;
  }

  /** The earliest due time of all schedules; undefined if none is due. */
  get firstDue(): number | undefined {
    return this.#queue.firstTime;
  }

  /** Returns the next `limit` slots from a time on that can still run in time. */
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

  /** Returns the time up to which a schedule has run, if the clock was set back and has not reached it again. */
  ranUntil(agentId: string): number | null {
    const ranUntil = this.#entries.get(agentId)?.ranUntil ?? 0;
    return ranUntil > this.#ports.clock.now() ? ranUntil : null;
  }

  /** Brings the schedules in step with the agents: starts new ones, restarts changed ones and ends the others. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    const because = this.#stored === undefined ? SLOT_REASONS.down : "its file was away";
    this.#stored ??= new Map(
      (await this.#ports.store.readSchedules()).map((state) => [state.agentId, state]),
    );
    await this.#end(agents, options);
    let begun = 0;
    for (const agent of agents.filter(isScheduled)) {
      if (options.isElsewhere?.(agent.id)) continue;
      const entry = this.#entries.get(agent.id);
      // Agents are immutable: the same object has the same schedule.
      if (entry?.agent === agent) continue;
      const schedule = createSchedule(agent.trigger, this.#ports);
      if (entry?.schedule.fingerprint === schedule.fingerprint) {
        entry.agent = agent;
      } else {
        await this.#begin(agent, { schedule, because });
        if (++begun % BEGUN_AT_ONCE === 0) await setImmediate();
      }
    }
    this.#reportMovedBack();
  }

  /** Moves the schedules back with the wall clock, by `byMs`. */
  async moveBack(byMs: number): Promise<void> {
    const now = this.#ports.clock.now();
    for (const { agent, schedule, state } of [...this.#entries.values()]) {
      if (moveBack(state, { schedule, now, byMs }) === undefined) continue;
      await this.#begin(agent, { schedule, because: "", byMs });
    }
    this.#reportMovedBack();
  }

  /** Removes up to `limit` due entries. Each returns by `advance` or `postpone`. */
  takeDue(now: number, limit: number): ScheduleEntry[] {
    const taken: ScheduleEntry[] = [];
    while (taken.length < limit) {
      const id = this.#queue.takeUntil(now);
      if (id === undefined) break;
      const entry = this.#entries.get(id);
      if (entry !== undefined) taken.push(entry);
    }
    return taken;
  }

  /** Returns the entry's slots without an outcome, up to the first that ran before the clock was set back. */
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

  /** Records that all slots up to this one have an outcome; null: no progress. */
  advance(entry: ScheduleEntry, lastSlot: number | null): void {
    if (lastSlot !== null) entry.state.lastSlot = lastSlot;
    entry.hasFailed = false;
    this.#enqueue(entry);
  }

  /** Makes an entry due again at `until`, because nothing could be stored for it. */
  postpone(entry: ScheduleEntry, until: number): void {
    entry.hasFailed = true;
    this.#queue.put(entry.agent.id, until);
  }

  async #end(
    agents: readonly Agent[],
    { isUnreadable, isElsewhere = () => false }: ReconcileOptions,
  ): Promise<void> {
    const listed = new Map(agents.map((agent) => [agent.id, agent]));
    const { isShared = false, clock } = this.#ports;
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
      // Removed from the queue first: they are not due any more, whether or not the store works.
      if (entry !== undefined) this.#stored?.set(id, entry.state);
      this.#entries.delete(id);
      this.#queue.remove(id);
      if (isLongAway || agent !== undefined && !isWanted) over.push(id);
      // Another machine may have the file of an agent that this one never had.
      else if (agent === undefined && (!isShared || entry !== undefined)) {
        this.#awaySince.set(id, awaySince ?? clock.now());
      }
    }
    if (over.length === 0) return;
    await this.#ports.store.endSchedules(over);
    for (const id of over) this.#stored?.delete(id);
  }

  async #begin(
    agent: ScheduledAgent,
    { schedule, because, byMs = 0 }: { schedule: Schedule; because: string; byMs?: number },
  ): Promise<void> {
    const { clock, store } = this.#ports;
    const now = clock.now();
    const { id: agentId } = agent;
    const { fingerprint } = schedule;
    const known = this.#entries.get(agentId);
    const before = known?.state ?? this.#stored?.get(agentId);
    const isSame = before?.fingerprint === fingerprint;
    const moved = isSame ? moveBack(before, { schedule, now, byMs }) : undefined;
    const state = isSame && moved === undefined ? before : await store.beginSchedule(
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
    const entry = { agent, schedule, state, unseen, hasFailed: false, ranUntil };
    this.#entries.set(agentId, entry);
    this.#enqueue(entry);
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

  #enqueue(entry: ScheduleEntry): void {
    const next = nextOpen(entry, entry.state.lastSlot ?? entry.state.anchor);
    if (next === null) this.#queue.remove(entry.agent.id);
    else this.#queue.put(entry.agent.id, next);
  }
}

/** Returns the first slot after an instant that has not run. */
function nextOpen({ schedule, state: { anchor, fired } }: ScheduleEntry, after: number) {
  let next = schedule.nextAfter(after, anchor);
  while (next !== null && fired?.includes(next)) next = schedule.nextAfter(next, anchor);
  return next;
}

/** Returns a function that counts the slots from a first one to the last one of a state. */
function countUntil({ anchor, lastSlot }: ScheduleState, schedule: Schedule) {
  const to = lastSlot ?? anchor;
  // Uses the rhythm of the first slot, which may differ from the state's.
  return (first: number) => 1 + (schedule.slotsIn({ from: first, to, anchor: first })?.count ?? 0);
}

function isScheduled(agent: Agent): agent is ScheduledAgent {
  return agent.enabled && agent.trigger.type === "schedule";
}
