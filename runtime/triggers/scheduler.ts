// Starts the runs of schedules: on time, once each, and tells what became of every slot. One timer for all agents.
import { setImmediate } from "node:timers/promises";
import type { Agent } from "../agents/agent.ts";
import { type DueSlots, judgeSlots, type PassedSlots, type SlotVerdict } from "./due_slots.ts";
import type { StartRun } from "./fire.ts";
import { ScheduleBook, type ScheduleBookPorts, type ScheduleEntry } from "./schedule_book.ts";
import type { Slot } from "./slot_store.ts";

const DAY_MS = 86_400_000;
/** The longest sleep: a machine that was suspended, or a clock that was set, is noticed by then. */
const LONGEST_SLEEP_MS = 60_000;
/** A sleep that took so much longer than it should was the machine's, or the clock was set forward. */
const LATE_WAKE_MS = 10_000;
/** When what could not be stored is tried again. */
const RETRY_MS = 10_000;
/** Schedules that are due together are looked at in such batches: one transaction for all that does not run. */
const BATCH = 200;
/** How many runs start before others have their turn. */
const STARTED_AT_ONCE = 10;
/** Outcomes are kept so long, and so many of each agent however old they are. */
const KEPT_DAYS = 90;
const KEPT_SLOTS = 100;

export interface SchedulerPorts extends ScheduleBookPorts {
  /** Returns once the run is stored, not once it is done. */
  start: StartRun;
  isPaused: () => boolean | Promise<boolean>;
}

interface JudgedEntry {
  entry: ScheduleEntry;
  verdict: SlotVerdict;
}

/** The schedules of all agents, and the one timer that watches them. */
export class Scheduler implements AsyncDisposable {
  readonly #ports: SchedulerPorts;
  readonly #book: ScheduleBook;
  /** What changes the book waits for what changed it before. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The agents as they should be, when the book could not be brought in step with them. */
  #owed: { agents: readonly Agent[]; isComplete: boolean } | undefined;
  #nap = new AbortController();
  #isOver = false;
  #watching: Promise<void> | undefined;
  /** The last time anybody looked, by the wall clock. */
  #lookedAt: number;
  #wokeLate = false;
  #purgedAt: number | undefined;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
    this.#book = new ScheduleBook(ports);
    this.#lookedAt = ports.clock.now();
  }

  /**
   * Follows the agents as they are now; only what differs changes. `isComplete: false` says that agents may be missing
   * from the list because their files could not be read: nothing is forgotten then.
   */
  async reconcile(
    agents: readonly Agent[],
    { isComplete }: { isComplete: boolean } = { isComplete: true },
  ): Promise<void> {
    this.#owed = { agents, isComplete };
    await this.#inTurn(() => this.#settleOwed());
    this.look();
  }

  /** When an agent runs next by its schedule, paused or not; null when it has none. In milliseconds since the epoch. */
  nextRun(agentId: string): number | null {
    return this.#book.nextRun(agentId);
  }

  /** Begins to start runs. What was due before is judged at once. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Something changed that may concern slots: looks at once instead of at the end of the sleep. */
  look(): void {
    this.#nap.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#nap.abort();
    await this.#watching;
    await this.#turn;
  }

  async #watch(): Promise<void> {
    const { clock, log } = this.#ports;
    while (!this.#isOver) {
      this.#nap = new AbortController();
      try {
        await this.#look();
        await this.#purge();
      } catch (error) {
        log.write("error", "The schedules could not be looked at", { error });
      }
      // Told while it looked: to stop, or to look again.
      if (this.#isOver) return;
      const due = this.#book.firstDue ?? Infinity;
      const waitMs = Math.min(Math.max(due - clock.now(), 0), LONGEST_SLEEP_MS);
      await this.#sleep(waitMs);
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#nap;
    const wake = clock.now() + ms;
    await clock.sleep(ms, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    this.#wokeLate = clock.now() - wake > LATE_WAKE_MS;
  }

  /** Gives every slot that is due its outcome. */
  async #look(): Promise<void> {
    const now = this.#ports.clock.now();
    if (now < this.#lookedAt) await this.#inTurn(() => this.#book.rebeginAhead());
    this.#lookedAt = now;
    if (this.#owed !== undefined) await this.#inTurn(() => this.#settleOwed());
    while (!this.#isOver && (this.#book.firstDue ?? Infinity) <= now) {
      await this.#inTurn(() => this.#settleBatch(now));
      await setImmediate();
    }
  }

  async #settleOwed(): Promise<void> {
    const owed = this.#owed;
    if (owed === undefined) return;
    try {
      await this.#book.reconcile(owed.agents, owed);
      if (this.#owed === owed) this.#owed = undefined;
    } catch (error) {
      this.#ports.log.write("error", "The schedules could not be stored; tried again soon", {
        error,
      });
    }
  }

  async #settleBatch(now: number): Promise<void> {
    const { isPaused, log } = this.#ports;
    const paused = await isPaused();
    const entries = this.#book.takeDue(now, BATCH);
    const open = new Set(entries);
    const failures: unknown[] = [];
    try {
      const judged = entries.map((entry) => this.#judge(entry, { now, isPaused: paused }));
      // First what lies before the run: a crash between the two leaves the newest slot open, and none forgotten.
      await this.#recordPassed(judged);
      let started = 0;
      for (const { entry, verdict } of judged) {
        if (this.#isOver) break;
        try {
          if (!await this.#run(entry, verdict)) break;
          open.delete(entry);
        } catch (error) {
          failures.push(error);
        }
        if (++started % STARTED_AT_ONCE === 0) await setImmediate();
      }
    } catch (error) {
      failures.push(error);
    } finally {
      for (const entry of open) this.#book.postpone(entry, now + RETRY_MS);
    }
    if (failures.length > 0) {
      const [error] = failures;
      const agents = open.size;
      log.write("error", "Scheduled runs could not be started; tried again soon", {
        agents,
        error,
      });
    }
  }

  #judge(
    entry: ScheduleEntry,
    { now, isPaused }: { now: number; isPaused: boolean },
  ): JudgedEntry {
    const due = this.#book.dueSlots(entry, now);
    if (due === null) return { entry, verdict: {} };
    const { catchUp } = entry.agent.trigger;
    const missedBecause = this.#missedBecause(entry, due);
    return { entry, verdict: judgeSlots(due, { now, isPaused, catchUp, missedBecause }) };
  }

  #missedBecause({ unseen, hasFailed }: ScheduleEntry, { first }: DueSlots): string {
    if (hasFailed) return "its run could not be stored";
    if (first <= unseen.until) return unseen.because;
    return this.#wokeLate
      ? "the machine slept or the clock was set forward"
      : "the service was busy";
  }

  /** One transaction for all that does not run. */
  async #recordPassed(judged: readonly JudgedEntry[]): Promise<void> {
    const rows = judged.flatMap(({ entry, verdict: { passed } }) =>
      passed === undefined ? [] : [toRow(entry.agent.id, passed)]
    );
    if (rows.length === 0) return;
    await this.#ports.store.recordSlots(rows);
    const missed = rows.filter(({ outcome }) => outcome === "missed");
    if (missed.length === 0) return;
    const slots = missed.reduce((sum, { count }) => sum + count, 0);
    const [{ agentId, reason } = { agentId: "", reason: "" }] = missed;
    this.#ports.log.write("warn", "Schedules have missed slots", {
      slots,
      ...(missed.length === 1 ? { agentId } : { agents: missed.length }),
      reason,
    });
  }

  /** Starts what runs. False: the service stops, and the next one decides. */
  async #run(entry: ScheduleEntry, { passed, run }: SlotVerdict): Promise<boolean> {
    if (run !== undefined) {
      const { outcome } = await this.#ports.start(entry.agent, run);
      if (outcome === "stopping") {
        this.#isOver = true;
        return false;
      }
    }
    this.#book.advance(entry, run?.scheduledFor ?? passed?.last ?? null);
    return true;
  }

  async #purge(): Promise<void> {
    const { clock, store, log } = this.#ports;
    const now = clock.now();
    if (this.#purgedAt !== undefined && Math.abs(now - this.#purgedAt) < DAY_MS) return;
    const removed = await store.purgeSlots({ before: now - KEPT_DAYS * DAY_MS, keep: KEPT_SLOTS });
    this.#purgedAt = now;
    if (removed > 0) log.write("info", "Old slots removed", { removed });
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    // A failure is told to its own caller, and does not stop the next.
    this.#turn = turn.catch(() => {});
    await turn;
  }
}

function toRow(agentId: string, passed: PassedSlots): Slot & { lastSlot: number } {
  const { outcome, reason, first, last, count } = passed;
  return {
    agentId,
    scheduledFor: first,
    outcome,
    reason,
    executionId: null,
    count,
    lastSlot: last,
  };
}
