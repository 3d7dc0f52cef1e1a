// Starts the runs of schedules: on time, once each, and records what became of every slot. One timer for all agents.
import { setImmediate } from "node:timers/promises";
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { type BatchReport, type DueBatchPorts, RETRY_MS, settleDue } from "./due_batch.ts";
import type { ReconcileOptions } from "../reconcile_options.ts";
import { ADJUSTMENT_MS } from "./set_back.ts";
import { ScheduleBook, type ScheduleBookPorts } from "./schedule_book.ts";

/** The longest sleep: a machine that was suspended, or a clock that was set, is noticed by then. */
const LONGEST_SLEEP_MS = 60_000;
/** A sleep that took so much longer than it should was the machine's, or the clock was set forward. */
const LATE_WAKE_MS = 10_000;
/** Outcomes are kept so long, and so many of each agent however old they are. */
const KEPT_DAYS = 90;
const KEPT_SLOTS = 100;

/** What schedules need. */
export type SchedulerPorts = ScheduleBookPorts & Omit<DueBatchPorts, "book">;

/** The schedules of all agents, and the timer that watches them. */
export class Scheduler implements AsyncDisposable {
  readonly #ports: SchedulerPorts;
  readonly #book: ScheduleBook;
  /** Changes of the book. */
  readonly #changes = new SerialQueue();
  /** The agents as they should be, while the book is not in step with them. */
  #owed: ReconcileOptions & { agents: readonly Agent[] } | undefined;
  #waking = new AbortController();
  #isOver = false;
  #watching: Promise<void> | undefined;
  /** The wall clock's lead over the monotonic clock at the last check. */
  #drift = -Infinity;
  /** The clock was set back, and the schedules have not been moved with it yet. */
  #isSetBack = false;
  #wokeLate = false;
  #purgedAt = -Infinity;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
    this.#book = new ScheduleBook(ports);
  }

  /**
   * Follows the agents as they are now; only what differs changes. What cannot be stored is logged, and tried again until
   * it can.
   */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    this.#owed = { ...options, agents };
    await this.#changes.run(() => this.#settleOwed());
    this.wake();
  }

  /**
   * When an agent runs next by its schedule, in milliseconds since the epoch, paused or not: so many times from `from` on. None
   * when it has no schedule, or when no date fits any more. Never in the past.
   */
  nextRuns(agentId: string, options: { limit: number; from?: number }): number[] {
    return this.#book.nextRuns(agentId, options);
  }

  /** See ScheduleBook.ranUntil. */
  ranUntil(agentId: string): number | null {
    return this.#book.ranUntil(agentId);
  }

  /** Begins to start runs. What came due before is judged at once. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Something changed that may concern slots: checks at once instead of at the end of the sleep. */
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

  /** Gives every slot that is due by now its outcome. */
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
