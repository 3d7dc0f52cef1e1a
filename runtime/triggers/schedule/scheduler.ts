// Starts the runs of schedules on time, each due time (slot) once, and stores the outcome of every slot. One timer serves
// all agents.
import { nextTurn } from "../../../base/clock.ts";
import type { Agent } from "../../agents/agent.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { type BatchReport, RETRY_MS, settleDue } from "./due_batch.ts";
import { ADJUSTMENT_MS } from "./set_back.ts";
import { ScheduleBook, type SchedulerPorts } from "./schedule_book.ts";
import type { ReconcileOptions } from "../firing/fire.ts";

/** The maximum sleep. After a suspend or a change of the clock, the scheduler checks the slots within this time. */
const LONGEST_SLEEP_MS = 60_000;
/** If a sleep ends later than planned by more than this, the machine was suspended or the clock was set forward. */
const LATE_WAKE_MS = 10_000;
/** Slots older than this number of days are removed, except the newest slots of each agent. */
const KEPT_DAYS = 90;
const KEPT_SLOTS = 100;

/** The schedules of all agents, and the timer that checks them. */
export class Scheduler implements AsyncDisposable {
  readonly #ports: SchedulerPorts;
  readonly #book: ScheduleBook;
  /** Serializes changes of the book. */
  readonly #changes = new SerialQueue();
  /** The last list of agents that the schedule book has not stored yet, because a write failed. */
  #owed: ReconcileOptions & { agents: readonly Agent[] } | undefined;
  readonly #loop: WorkLoop;
  #isStarted = false;
  /** The difference between the wall clock and the monotonic clock at the last check, in milliseconds. */
  #drift = -Infinity;
  /** True after the clock was set back, until the schedules have been moved back, too. */
  #isSetBack = false;
  /** The planned end of the current sleep, in milliseconds since the epoch. */
  #wakeAt = Infinity;
  #wokeLate = false;
  #purgedAt = -Infinity;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
    this.#book = new ScheduleBook(ports);
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#work(),
      failed: (error) => {
        const message = "Schedules could not be checked; tried again soon";
        ports.log.write("error", message, { error });
        this.#wakeAt = ports.clock.now() + RETRY_MS;
      },
      retry: { firstMs: RETRY_MS, longestMs: RETRY_MS },
    });
  }

  /** Updates the schedules from the present agents. If the database fails, logs the error and retries until it succeeds. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    this.#owed = { ...options, agents };
    await this.#changes.run(() => this.#settleOwed());
    this.wake();
  }

  /** Returns up to `limit` future slots of an agent at or after `from`, in milliseconds since the epoch. Ignores pauses. */
  nextRuns(agentId: string, options: { limit: number; from?: number }): number[] {
    return this.#book.nextRuns(agentId, options);
  }

  /** Returns the last slot processed before the clock was set back, or null if the clock has reached it again. */
  ranUntil(agentId: string): number | null {
    return this.#book.ranUntil(agentId);
  }

  /** Starts the timer. Slots that are already due are processed at once. */
  start(): void {
    this.#isStarted = true;
    this.#loop.start();
  }

  /** Ends the current sleep and checks the slots. */
  wake(): void {
    if (this.#isStarted) this.#loop.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await this.#changes.settled();
  }

  async #work(): Promise<number> {
    const { clock } = this.#ports;
    this.#wokeLate = clock.now() - this.#wakeAt > LATE_WAKE_MS;
    await this.#settle();
    await this.#purge();
    const now = clock.now();
    this.#wakeAt = Math.min(Math.max(this.#book.firstDue, now), now + LONGEST_SLEEP_MS);
    return this.#wakeAt - now;
  }

  /** Processes all slots that are due, after moving the schedules back if the clock was set back. */
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
      while (!this.#loop.signal.aborted && this.#book.firstDue <= now) {
        await this.#changes.run(async () => {
          const moment = { now, wokeLate: this.#wokeLate };
          const report = await settleDue(this.#book, this.#ports, moment);
          reports.push(report);
          if (report.isStopping) this.#loop.close();
        });
        await nextTurn();
      }
    } finally {
      this.#logReports(reports);
    }
  }

  #logReports(reports: readonly BatchReport[]): void {
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
    if (owed === undefined || this.#loop.signal.aborted) return;
    try {
      await this.#book.reconcile(owed.agents, owed);
      if (this.#owed === owed) this.#owed = undefined;
    } catch (error) {
      const message = "Schedules could not be stored; tried again soon";
      this.#ports.log.write("error", message, { error });
    }
  }

  async #purge(): Promise<void> {
    const { clock, slots, log } = this.#ports;
    const now = clock.now();
    if (Math.abs(now - this.#purgedAt) < DAY_MS) return;
    const removed = await slots.purgeSlots({ before: now - KEPT_DAYS * DAY_MS, keep: KEPT_SLOTS });
    this.#purgedAt = now;
    if (removed > 0) log.write("info", "Old slots removed", { removed });
  }
}
