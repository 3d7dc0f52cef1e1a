// Starts the runs of schedules on time, once each, and records the outcome of every slot. One timer serves all agents.
import { setImmediate } from "node:timers/promises";
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { type BatchReport, type DueBatchPorts, RETRY_MS, settleDue } from "./due_batch.ts";
import type { ReconcileOptions } from "../reconcile_options.ts";
import { ADJUSTMENT_MS } from "./set_back.ts";
import { ScheduleBook, type ScheduleBookPorts } from "./schedule_book.ts";

/** The longest sleep. It bounds the time until a suspended machine or a changed clock is noticed. */
const LONGEST_SLEEP_MS = 60_000;
/** A sleep that is longer than planned by this much means a suspended machine or a clock set forward. */
const LATE_WAKE_MS = 10_000;
/** Slot outcomes older than this are removed, but for the newest of each agent. */
const KEPT_DAYS = 90;
const KEPT_SLOTS = 100;

/** The collaborators of `Scheduler`. */
export type SchedulerPorts = ScheduleBookPorts & Omit<DueBatchPorts, "book">;

/** The schedules of all agents, and the timer that checks them. */
export class Scheduler implements AsyncDisposable {
  readonly #ports: SchedulerPorts;
  readonly #book: ScheduleBook;
  /** Serializes changes of the book. */
  readonly #changes = new SerialQueue();
  /** The agents that the book still has to be reconciled with, after a failure. */
  #owed: ReconcileOptions & { agents: readonly Agent[] } | undefined;
  #waking = new AbortController();
  #isOver = false;
  #watching: Promise<void> | undefined;
  /** The wall clock's lead over the monotonic clock at the last check. */
  #drift = -Infinity;
  /** True when the clock was set back and the schedules have not moved with it yet. */
  #isSetBack = false;
  #wokeLate = false;
  #purgedAt = -Infinity;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
    this.#book = new ScheduleBook(ports);
  }

  /**
   * Follows the agents as they are now; only differences change. A failure of the store is logged, and the work is
   * retried until it succeeds.
   */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    this.#owed = { ...options, agents };
    await this.#changes.run(() => this.#settleOwed());
    this.wake();
  }

  /**
   * Returns the next `limit` times at which an agent's schedule is due, from `from` on, in milliseconds since the
   * epoch. Ignores pauses. Returns fewer when no more dates match, and no past times.
   */
  nextRuns(agentId: string, options: { limit: number; from?: number }): number[] {
    return this.#book.nextRuns(agentId, options);
  }

  /** See ScheduleBook.ranUntil. */
  ranUntil(agentId: string): number | null {
    return this.#book.ranUntil(agentId);
  }

  /** Starts firing. Slots that were due before are judged at once. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Checks the slots at once instead of at the end of the sleep. */
  wake(): void {
    this.#waking.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#waking.abort();
    await this.#watching;
    await this.#changes.settled();
  }

  async #watch(): Promise<void> {
    const { clock, log } = this.#ports;
    while (!this.#isOver) {
      this.#waking = new AbortController();
      let shortestMs = 0;
      try {
        await this.#settle();
        await this.#purge();
      } catch (error) {
        log.write("error", "Schedules could not be checked; tried again soon", { error });
        shortestMs = RETRY_MS;
      }
      if (this.#isOver) return;
      const dueMs = (this.#book.firstDue ?? Infinity) - clock.now();
      await this.#sleep(Math.min(Math.max(dueMs, shortestMs), LONGEST_SLEEP_MS));
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#waking;
    const wake = clock.now() + ms;
    await sleepUnlessAborted(clock, ms, signal);
    this.#wokeLate = clock.now() - wake > LATE_WAKE_MS;
  }

  /** Stores an outcome for every slot that is due now. */
  async #settle(): Promise<void> {
    const now = this.#ports.clock.now();
    const drift = now - (this.#ports.clock.elapsed?.() ?? now);
    const byMs = this.#drift - drift;
    this.#drift = drift;
    this.#isSetBack ||= byMs > ADJUSTMENT_MS;
    if (this.#isSetBack) {
      await this.#changes.run(() => this.#book.moveBack(Math.max(0, byMs)));
      this.#isSetBack = false;
    }
    if (this.#owed !== undefined) await this.#changes.run(() => this.#settleOwed());
    const reports: BatchReport[] = [];
    try {
      while (!this.#isOver && (this.#book.firstDue ?? Infinity) <= now) {
        await this.#changes.run(async () => {
          const ports = { ...this.#ports, book: this.#book };
          const report = await settleDue(ports, { now, wokeLate: this.#wokeLate });
          reports.push(report);
          this.#isOver ||= report.isStopping;
        });
        await setImmediate();
      }
    } finally {
      this.#tell(reports);
    }
  }

  #tell(reports: readonly BatchReport[]): void {
    const { log } = this.#ports;
    const missed = reports.flatMap((report) => report.missed);
    const [first] = missed;
    if (first !== undefined) {
      log.write("warn", "Schedules missed slots", {
        slots: missed.reduce((sum, { count }) => sum + count, 0),
        ...(missed.length === 1 ? { agent: first.agentId } : { agents: missed.length }),
        reason: first.reason,
      });
    }
    const failures = reports.flatMap((report) => report.failures);
    if (failures.length > 0) {
      const [error] = failures;
      const runs = failures.length;
      log.write("error", "Scheduled runs could not be started; tried again soon", { runs, error });
    }
  }

  async #settleOwed(): Promise<void> {
    const owed = this.#owed;
    if (owed === undefined || this.#isOver) return;
    try {
      await this.#book.reconcile(owed.agents, owed);
      if (this.#owed === owed) this.#owed = undefined;
    } catch (error) {
      const message = "Schedules could not be stored; tried again soon";
      this.#ports.log.write("error", message, { error });
    }
  }

  async #purge(): Promise<void> {
    const { clock, store, log } = this.#ports;
    const now = clock.now();
    if (Math.abs(now - this.#purgedAt) < DAY_MS) return;
    const removed = await store.purgeSlots({ before: now - KEPT_DAYS * DAY_MS, keep: KEPT_SLOTS });
    this.#purgedAt = now;
    if (removed > 0) log.write("info", "Old slots removed", { removed });
  }
}
