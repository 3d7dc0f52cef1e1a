// A scheduler over a real database, with simulated runs. The tests can stop and restart it, and read the runs that it
// started.
import type { Agent, Trigger } from "../../../../runtime/agents/agent.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import {
  insertSlot,
  isSlotTaken,
  SqlSlotStore,
} from "../../../../runtime/triggers/schedule/slots.ts";
import type { FireOutcome, StartRun } from "../../../../runtime/triggers/firing/fire.ts";
import { Scheduler } from "../../../../runtime/triggers/schedule/scheduler.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { SimulatedClock } from "../../../support/simulated_clock.ts";

/** Creates an agent with a schedule. */
export function scheduled(
  id: string,
  trigger: Partial<Trigger<"schedule">>,
  changes: Partial<Agent> = {},
): Agent {
  return fakeAgent(id, { trigger: { type: "schedule", catchUp: "none", ...trigger }, ...changes });
}

/** The simulated result of a start that starts no run: an outcome, or an error to throw. */
type Refusal = Exclude<FireOutcome["outcome"], "started"> | Error;

export class ScheduledService implements AsyncDisposable {
  readonly db = SqliteDatabase.open(":memory:");
  readonly clock: SimulatedClock;
  readonly log = new LogLines();
  /** Every started run: the agent, the due time, and the wall time as `HH:MM:SS`. */
  readonly runs: string[] = [];
  isPaused = false;
  /** Returns true if the triggers are paused. A test may replace it. */
  mayBePaused: () => boolean = () => this.isPaused;
  /** Returns the refusal of a start, or undefined to start the run. A test may replace it. */
  refuse: (agentId: string, scheduledFor: number) => Refusal | undefined = () => undefined;
  #scheduler: Scheduler | undefined;

  constructor(start = "2026-01-01T12:00:00.000Z") {
    this.clock = new SimulatedClock(Date.parse(start));
  }

  /** Creates a service and opens it with the given agents. */
  static async with(
    agents: readonly Agent[],
    { start, ...options }: { start?: string; store?: SqlSlotStore } = {},
  ): Promise<ScheduledService> {
    const service = new ScheduledService(start);
    await service.open(agents, options);
    return service;
  }

  /** The running scheduler. */
  get scheduler(): Scheduler {
    if (this.#scheduler === undefined) throw new TypeError("the service does not run");
    return this.#scheduler;
  }

  nextRun(agentId: string): number | null {
    return this.scheduler.nextRuns(agentId, { limit: 1 })[0] ?? null;
  }

  /** Opens the scheduler over the database and gives it the agents. */
  async open(
    agents: readonly Agent[],
    options: { unreadable?: string; store?: SqlSlotStore } = {},
  ): Promise<void> {
    const { unreadable, store = new SqlSlotStore(this.db) } = options;
    this.#scheduler = new Scheduler({
      slots: store,
      clock: this.clock,
      log: this.log,
      timeZone: () => "UTC",
      start: this.#start,
      check: () => {},
      isPaused: async () => await this.mayBePaused(),
      findHoldReason: () => Promise.resolve(undefined),
      isShared: false,
      stops: { admits: () => true, reasonOf: () => null },
    });
    await this.#scheduler.reconcile(agents, { isUnreadable: (id) => id === unreadable });
    this.#scheduler.start();
    await this.clock.idle();
  }

  /** Stops the scheduler, advances the clock by `downMs`, and opens it again. */
  async restart(agents: readonly Agent[], downMs = 0): Promise<void> {
    await this.close();
    this.clock.pass(this.clock.real + downMs);
    await this.open(agents);
  }

  async close(): Promise<void> {
    await this.#scheduler?.[Symbol.asyncDispose]();
    this.#scheduler = undefined;
  }

  async reconcile(agents: readonly Agent[]): Promise<void> {
    await this.scheduler.reconcile(agents, { isUnreadable: () => false });
    await this.clock.idle();
  }

  async pause(isPaused: boolean): Promise<void> {
    this.isPaused = isPaused;
    this.scheduler.wake();
    await this.clock.idle();
  }

  async advance(ms: number): Promise<void> {
    await this.clock.runUntil(this.clock.real + ms);
  }

  /** Returns the outcomes of an agent's due times, oldest first: `HH:MM:SS outcome (reason) xN`. */
  async slots(agentId: string): Promise<string[]> {
    const page = { limit: -1, offset: 0 };
    const slots = await new SqlSlotStore(this.db).listSlots(agentId, page);
    return slots.reverse().map(({ scheduledFor, outcome, reason, count }) =>
      [
        `${timeOf(scheduledFor)} ${outcome}`,
        ...reason === null ? [] : [`(${reason})`],
        ...count === 1 ? [] : [`x${count}`],
      ].join(" ")
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.db[Symbol.dispose]();
  }

  readonly #start: StartRun = (agent, fire) => {
    if (fire.claim?.type !== "slot") throw new TypeError("only schedules fire here");
    const { scheduledFor, reason } = fire.claim;
    const slot = { agentId: agent.id, scheduledFor, executionId: null, count: 1 };
    const refusal = this.refuse(agent.id, scheduledFor);
    if (refusal instanceof Error) return Promise.reject(refusal);
    return Promise.resolve(this.db.transaction("process", (): FireOutcome => {
      if (refusal === "stopping") return { outcome: refusal };
      if (this.db.perform(isSlotTaken(agent.id, scheduledFor))) return { outcome: "claimed" };
      if (refusal !== undefined) {
        this.db.perform(insertSlot({ ...slot, outcome: "skipped", reason: refusal }));
        return { outcome: refusal };
      }
      this.db.perform(insertSlot({ ...slot, outcome: "run", reason }));
      this.runs.push(`${agent.id} ${timeOf(scheduledFor)} at ${timeOf(this.clock.now())}`);
      return { outcome: "started", executionId: this.runs.length };
    }));
  };
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
