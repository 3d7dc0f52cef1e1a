// The book of schedules: which agents have one, how far each has come, who is due first. Kept in step with the agents and
// with what is stored; when to look into it is left to the scheduler.
import { setImmediate } from "node:timers/promises";
import type { Agent, ScheduleTrigger } from "../../agents/agent.ts";
import { type Clock, toTimestamp } from "../../../base/clock.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { DueQueue } from "./due_queue.ts";
import type { DueSlots } from "./due_slots.ts";
import type { ReconcileOptions } from "../reconcile_options.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import type { ScheduleState, SlotStore } from "./slot_store.ts";

/** How many schedules begin before others have their turn. */
const BEGUN_AT_ONCE = 50;

type ScheduledAgent = Agent & { trigger: ScheduleTrigger };

/** A scheduled agent. */
export interface ScheduleEntry {
  agent: ScheduledAgent;
  readonly schedule: Schedule;
  readonly state: ScheduleState;
  /** Slots until then passed before anybody looked, and why. */
  readonly unseen: { until: number; because: string };
  /** Its last start failed. */
  hasFailed: boolean;
}

/** What keeping track of schedules needs. */
export interface ScheduleBookPorts {
  store: SlotStore;
  clock: Clock;
  log: ServiceLog;
  /** The machine's IANA zone. */
  timeZone: string;
  /** Other machines store in the same place. */
  isShared?: boolean;
}

/** The schedules of all agents. */
export class ScheduleBook {
  readonly #ports: ScheduleBookPorts;
  readonly #entries = new Map<string, ScheduleEntry>();
  readonly #queue = new DueQueue();
  /** What is stored of agents that have no entry (yet); undefined until it is read. */
  #stored: Map<string, ScheduleState> | undefined;

  constructor(ports: ScheduleBookPorts) {
    this.#ports = ports;
  }

  /** When the first of all schedules is due; undefined when none is. */
  get firstDue(): number | undefined {
    return this.#queue.firstTime;
  }

  /** The next so many slots that can still be in time, from a time on. */
  nextRuns(agentId: string, { limit, from = 0 }: { limit: number; from?: number }): number[] {
    const entry = this.#entries.get(agentId);
    if (entry === undefined) return [];
    const { schedule, state: { anchor, lastSlot } } = entry;
    const times: number[] = [];
    let last = Math.max(lastSlot ?? anchor, this.#ports.clock.now(), from - 1);
    while (times.length < limit) {
      const next = schedule.nextAfter(last, anchor);
      if (next === null) break;
      times.push(next);
      last = next;
    }
    return times;
  }

  /** Brings the book in step with the agents: schedules begin, begin anew where their times changed, and end. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    const because = this.#stored === undefined
      ? "the service was not running"
      : "its file could not be read";
    this.#stored ??= new Map(
      (await this.#ports.store.readSchedules()).map((state) => [state.agentId, state]),
    );
    await this.#end(agents, options);
    let begun = 0;
    for (const agent of agents.filter(isScheduled)) {
      const entry = this.#entries.get(agent.id);
      // Agents are immutable: the same object is the same schedule.
      if (entry?.agent === agent) continue;
      const schedule = createSchedule(agent.trigger, this.#ports);
      if (entry?.schedule.fingerprint === schedule.fingerprint) {
        entry.agent = agent;
      } else {
        await this.#begin(agent, { schedule, because });
        if (++begun % BEGUN_AT_ONCE === 0) await setImmediate();
      }
    }
  }

  /** Begins those anew that are further ahead than the clock can have been right. */
  async rebeginAhead(): Promise<void> {
    const now = this.#ports.clock.now();
    for (const { agent, schedule, state } of this.#entries.values()) {
      if (isAhead(state, now)) await this.#begin(agent, { schedule, because: "" });
    }
  }

  /** Takes out up to `limit` entries that are due; each goes back with `advance` or `postpone`. */
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

  /** The slots of an entry that have no outcome yet. */
  dueSlots({ schedule, state: { anchor, lastSlot } }: ScheduleEntry, now: number): DueSlots | null {
    return schedule.slotsIn({ from: lastSlot ?? anchor, to: now, anchor });
  }

  /** All slots until this one have their outcome now; null: it is no further than before. */
  advance(entry: ScheduleEntry, lastSlot: number | null): void {
    if (lastSlot !== null) entry.state.lastSlot = lastSlot;
    entry.hasFailed = false;
    this.#enqueue(entry);
  }

  /** Nothing could be stored for this entry: it comes up again at `until`. */
  postpone(entry: ScheduleEntry, until: number): void {
    entry.hasFailed = true;
    this.#queue.put(entry.agent.id, until);
  }

  async #end(agents: readonly Agent[], { isUnreadable }: ReconcileOptions): Promise<void> {
    const listed = new Map(agents.map((agent) => [agent.id, agent]));
    const { isShared = false } = this.#ports;
    const isOver = (id: string) => {
      const agent = listed.get(id);
      if (agent !== undefined) return !isScheduled(agent);
      // Another machine may have its file, where this one never had it.
      return !isUnreadable(id) && (!isShared || this.#entries.has(id));
    };
    const known = new Set([...this.#entries.keys(), ...this.#stored?.keys() ?? []]);
    const over = [...known].filter(isOver);
    if (over.length === 0) return;
    // First of all they are due no more, whatever becomes of the store.
    for (const id of over) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) this.#stored?.set(id, entry.state);
      this.#entries.delete(id);
      this.#queue.remove(id);
    }
    await this.#ports.store.endSchedules(over);
    for (const id of over) this.#stored?.delete(id);
  }

  async #begin(
    agent: ScheduledAgent,
    { schedule, because }: { schedule: Schedule; because: string },
  ): Promise<void> {
    const { clock, log, store } = this.#ports;
    const now = clock.now();
    const agentId = agent.id;
    const before = this.#entries.get(agentId)?.state ?? this.#stored?.get(agentId);
    const next = continueSchedule(before, { agentId, fingerprint: schedule.fingerprint, now });
    const state = next === before ? next : await store.beginSchedule(next, before);
    if (before !== undefined && isAhead(before, now)) {
      const ranUntil = toTimestamp(before.lastSlot ?? before.anchor);
      log.write("warn", "The clock was ahead: the schedule begins anew", { agentId, ranUntil });
    }
    this.#stored?.delete(agentId);
    const entry = { agent, schedule, state, unseen: { until: now, because }, hasFailed: false };
    this.#entries.set(agentId, entry);
    this.#enqueue(entry);
  }

  #enqueue({ agent, schedule, state: { anchor, lastSlot } }: ScheduleEntry): void {
    const next = schedule.nextAfter(lastSlot ?? anchor, anchor);
    if (next === null) this.#queue.remove(agent.id);
    else this.#queue.put(agent.id, next);
  }
}

function isScheduled(agent: Agent): agent is ScheduledAgent {
  return agent.enabled && agent.trigger.type === "schedule";
}

/** What ran further ahead than this ran under a wrong clock. */
const WRONG_CLOCK_MS = 86_400_000;
/** A clock is put right by less than this all the time. */
const ADJUSTMENT_MS = 60_000;

/**
 * Whether a schedule is ahead of a time by more than a clock is ever set back on purpose. Waiting for that time to come
 * would mean not to run for as long. One that never ran has nothing that could come twice.
 */
function isAhead({ anchor, lastSlot }: ScheduleState, now: number): boolean {
  return lastSlot === null ? anchor > now + ADJUSTMENT_MS : lastSlot > now + WRONG_CLOCK_MS;
}

/** The state to go on with: the same object where nothing changed, else a beginning at `now`, to be stored. */
function continueSchedule(
  before: ScheduleState | undefined,
  { agentId, fingerprint, now }: { agentId: string; fingerprint: string; now: number },
): ScheduleState {
  const anew = { agentId, fingerprint, anchor: now, lastSlot: null };
  if (before === undefined || isAhead(before, now)) return anew;
  if (before.fingerprint === fingerprint) return before;
  // Another schedule; but what was due before the clock was set back does not come again.
  const { lastSlot } = before;
  return { ...anew, lastSlot: lastSlot !== null && lastSlot > now ? lastSlot : null };
}
