// Runs the real scheduler with one schedule in simulated time, with the events of a script, and reports its slots and runs.
import type { Trigger } from "../../runtime/agents/agent.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { insertSlot, isSlotTaken, SqlSlotStore } from "../../runtime/triggers/schedule/slots.ts";
import type { FireOutcome, StartRun } from "../../runtime/triggers/firing/fire.ts";
import { Scheduler } from "../../runtime/triggers/schedule/scheduler.ts";
import type { Slot } from "../../runtime/triggers/schedule/slot_store.ts";
import { fakeAgent } from "../../tests/support/fake_agent.ts";
import { LogLines } from "../../tests/support/log_lines.ts";
import { SimulatedClock } from "../../tests/support/simulated_clock.ts";

/** An event of the service. `at` is real time: milliseconds since the epoch on a clock that is never set. */
export type WorldEvent =
  | { at: number; type: "stop" | "start" | "pause" | "resume" | "edit" }
  /**
   * The wall clock is set by `by` milliseconds. `seenAt`: the scheduler's next wake-up after the event; runWorld fills it
   * in.
   */
  | { at: number; type: "step"; by: number; seenAt?: number };

export interface WorldScript {
  trigger: Trigger<"schedule">;
  /** The machine's time zone, which applies when the trigger has none. */
  zone: string;
  from: number;
  to: number;
  events: WorldEvent[];
  /** The durations of the runs in milliseconds. The list starts again when there are more runs. */
  durations: number[];
}

export interface WorldReport {
  /** All slots that have an outcome, oldest first. */
  slots: Slot[];
  /** The started runs, each with its slot and the wall time of its start. */
  started: { scheduledFor: number; at: number }[];
  /** The number of runs that started before the previous run had ended. */
  overlaps: number;
  wakes: number;
}

/** Runs the script and returns the scheduler's results. Sets `seenAt` in the script's clock events. */
export async function runWorld(script: WorldScript): Promise<WorldReport> {
  const clock = new SimulatedClock(script.from);
  using db = SqliteDatabase.open(":memory:");
  const store = new SqlSlotStore(db);
  const started: WorldReport["started"] = [];
  let runEnds = -Infinity;
  let overlaps = 0;
  let isPaused = false;
  const start: StartRun = (agent, fire) => {
    if (fire.claim?.type !== "slot") throw new TypeError("only schedules fire here");
    const { scheduledFor, reason } = fire.claim;
    const claim = (): FireOutcome => {
      if (db.perform(isSlotTaken(agent.id, scheduledFor))) return { outcome: "claimed" };
      const slot = { agentId: agent.id, scheduledFor, executionId: null, count: 1 };
      if (clock.real < runEnds) {
        db.perform(insertSlot({ ...slot, outcome: "skipped", reason: "still running" }));
        return { outcome: "running" };
      }
      db.perform(insertSlot({ ...slot, outcome: "run", reason }));
      return { outcome: "started", executionId: started.length + 1 };
    };
    const outcome = db.transaction("process", claim);
    if (outcome.outcome === "started") {
      if (clock.real < runEnds) overlaps++;
      runEnds = clock.real + (script.durations[started.length % script.durations.length] ?? 0);
      started.push({ scheduledFor, at: clock.now() });
    }
    return Promise.resolve(outcome);
  };
  let edits = 0;
  const agents = () => [fakeAgent("one", { trigger: script.trigger, body: `Edit ${edits}` })];
  const open = async () => {
    const log = new LogLines();
    const stops = { admits: () => true, reasonOf: () => null };
    const ports = {
      slots: store,
      start,
      check: () => {},
      clock,
      log,
      timeZone: () => script.zone,
      isPaused: () => Promise.resolve(isPaused),
      findHoldReason: () => Promise.resolve(undefined),
      isShared: false,
      stops,
    };
    const scheduler = new Scheduler(ports);
    await scheduler.reconcile(agents(), { isUnreadable: () => false });
    scheduler.start();
    await clock.idle();
    return scheduler;
  };
  let scheduler: Scheduler | undefined = await open();
  const passUntil = async (real: number) => {
    if (scheduler === undefined) clock.pass(real);
    else await clock.runUntil(real);
  };
  for (const event of script.events) {
    await passUntil(event.at);
    if (event.type === "step") {
      clock.step(event.by);
      event.seenAt = scheduler === undefined ? Infinity : clock.nextWake;
    } else if (event.type === "stop") {
      await scheduler?.[Symbol.asyncDispose]();
      scheduler = undefined;
      runEnds = -Infinity;
    } else if (event.type === "start") {
      scheduler = await open();
    } else if (event.type === "edit") {
      edits++;
      await scheduler?.reconcile(agents(), { isUnreadable: () => false });
      await clock.idle();
    } else {
      isPaused = event.type === "pause";
      scheduler?.wake();
      await clock.idle();
    }
  }
  await passUntil(script.to);
  await scheduler?.[Symbol.asyncDispose]();
  const slots = (await store.listSlots("one", { limit: -1, offset: 0 })).reverse();
  return { slots, started, overlaps, wakes: clock.wakes };
}
