// One batch of schedules that are due: every slot gets its outcome, in the store and in the book.
import { setImmediate } from "node:timers/promises";
import { type DueSlots, judgeSlots, type PassedSlots, type SlotVerdict } from "./due_slots.ts";
import type { StartRun, WhyHeld } from "../fire.ts";
import type { ScheduleBook, ScheduleEntry } from "./schedule_book.ts";
import type { StoppedTriggers } from "../stopped_triggers.ts";
import type { Slot, SlotStore } from "./slot_store.ts";

/** Schedules that are due together are settled in such batches: one transaction for all that does not run. */
const BATCH = 200;
/** How many runs start together, before others have their turn. */
const STARTED_AT_ONCE = 20;
/** When what could not be stored is tried again. */
export const RETRY_MS = 10_000;

/** What settling due slots needs. */
export interface DueBatchPorts {
  book: ScheduleBook;
  store: SlotStore;
  /** Returns once the run is stored, not once it is done. */
  start: StartRun;
  isPaused: () => boolean | Promise<boolean>;
  whyHeld?: WhyHeld;
  stops: Pick<StoppedTriggers, "admits" | "reasonOf">;
}

/** What came of one batch, for the log. */
export interface BatchReport {
  /** Rows of slots that were missed. */
  missed: Slot[];
  /** Why starts failed; their slots are still open. */
  failures: unknown[];
  /** The service stops: whatever is still open is for the next one. */
  isStopping: boolean;
}

interface Judged {
  entry: ScheduleEntry;
  verdict: SlotVerdict;
}

/**
 * Settles a batch of what is due at `now`. Throws when nothing of it could be judged or stored; all of it is due again
 * later then.
 */
export async function settleDue(
  ports: DueBatchPorts,
  moment: { now: number; wokeLate: boolean },
): Promise<BatchReport> {
  const { book, store } = ports;
  const isPaused = await ports.isPaused();
  const entries = book.takeDue(moment.now, BATCH);
  try {
    const judged: Judged[] = [];
    for (const entry of entries) {
      const held = await ports.whyHeld?.(entry.agent);
      judged.push(judge(entry, { ...ports, ...moment, pausedBecause: isPaused ? "paused" : held }));
    }
    // First what lies before the runs: a crash between the two leaves the newest slot open, and forgets none.
    const passed = judged.flatMap(({ entry, verdict }) =>
      verdict.passed === undefined ? [] : [toRow(entry.agent.id, verdict.passed)]
    );
    const further = passed.length > 0 ? await store.recordSlots(passed) : new Map<string, number>();
    for (const { entry, verdict } of judged) {
      book.advance(entry, further.get(entry.agent.id) ?? verdict.passed?.last ?? null);
    }
    const missed = passed.filter((row) => row.outcome === "missed" && !further.has(row.agentId));
    // Of a schedule that came further elsewhere, what is left is due again at once.
    const own = judged.filter(({ entry }) => !further.has(entry.agent.id));
    return { missed, ...await startRuns(own, { ...ports, ...moment, isPaused }) };
  } catch (error) {
    for (const entry of entries) book.postpone(entry, moment.now + RETRY_MS);
    throw error;
  }
}

async function startRuns(
  judged: readonly Judged[],
  ports: Omit<DueBatchPorts, "isPaused"> & { now: number; isPaused: boolean },
): Promise<{ failures: unknown[]; isStopping: boolean }> {
  const { book, start, now } = ports;
  const failures: unknown[] = [];
  let isStopping = false;
  const due = judged.flatMap(({ entry, verdict: { run } }) =>
    run === undefined ? [] : { entry, run }
  );
  for (let first = 0; first < due.length && !isStopping; first += STARTED_AT_ONCE) {
    if (first > 0) await setImmediate();
    await Promise.all(
      due.slice(first, first + STARTED_AT_ONCE).map(async ({ entry, run }) => {
        try {
          const { outcome } = await start(entry.agent, run);
          if (outcome === "stopping") isStopping = true;
          else book.advance(entry, run.scheduledFor);
        } catch (error) {
          failures.push(error);
          book.postpone(entry, now + RETRY_MS);
        }
      }),
    );
  }
  return { failures, isStopping };
}

function judge(
  entry: ScheduleEntry,
  around: Pick<DueBatchPorts, "book" | "stops"> & {
    now: number;
    wokeLate: boolean;
    pausedBecause: string | undefined;
  },
): Judged {
  const { book, stops, now, wokeLate } = around;
  const { id } = entry.agent;
  const stopped = stops.admits(id) ? undefined : `its trigger is stopped: ${stops.reasonOf(id)}`;
  const due = book.dueSlots(entry, now);
  if (due === null) return { entry, verdict: {} };
  const { catchUp } = entry.agent.trigger;
  const pausedBecause = around.pausedBecause ?? stopped;
  const missedBecause = whyMissed(entry, { due, wokeLate });
  const circumstances = { now, pausedBecause, missedBecause };
  // A later one has run.
  const verdict = judgeSlots(due, { ...circumstances, catchUp: due.isNewest ? catchUp : "none" });
  return { entry, verdict };
}

function whyMissed(
  { unseen, hasFailed }: ScheduleEntry,
  { due, wokeLate }: { due: DueSlots; wokeLate: boolean },
): string {
  if (hasFailed) return "its run could not be stored";
  if (due.first <= unseen.until) return unseen.because;
  return wokeLate ? "the machine slept or the clock was set forward" : "the service was busy";
}

function toRow(agentId: string, passed: PassedSlots): Slot & { lastSlot: number } {
  const { outcome, reason, first, last, count } = passed;
  const row = { agentId, scheduledFor: first, outcome, reason, executionId: null, count };
  return { ...row, lastSlot: last };
}
