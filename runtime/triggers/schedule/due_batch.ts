// Processes one batch of due schedules: stores an outcome for every due time (slot) and advances the schedules.
import { SLOT_REASONS } from "../../vocabulary/trigger_kinds.ts";
import { nextTurn } from "../../../base/clock.ts";
import { type DueSlots, judgeSlots, type SlotVerdict } from "./due_slots.ts";
import { isTriggeredBy } from "../firing/fire.ts";
import type { ScheduleBook, ScheduleEntry, SchedulerPorts } from "./schedule_book.ts";
import type { Slot } from "./slot_store.ts";

/** The maximum number of schedules in a batch. One transaction stores all slots of a batch that do not run. */
const BATCH = 200;
/** The number of runs to start in parallel. Between two such groups, other work of the process continues. */
const STARTED_AT_ONCE = 20;
/** The wait before a slot is tried again because it could not be stored. */
export const RETRY_MS = 10_000;

/** The result of one batch, used for log messages. */
export interface BatchReport {
  /** The stored missed slots. */
  missed: Slot[];
  /** The errors of runs that could not be started. Their slots are tried again. */
  failures: unknown[];
  /** True when the service is stopping. After the next start, the slots without an outcome are processed. */
  isStopping: boolean;
}

type Judged = { entry: ScheduleEntry; verdict: SlotVerdict };

/**
 * Processes a batch of the schedules that are due at `now`. If a read or write of the database fails, throws and makes the
 * whole batch due again after RETRY_MS.
 */
export async function settleDue(
  book: ScheduleBook,
  ports: SchedulerPorts,
  moment: { now: number; wokeLate: boolean },
): Promise<BatchReport> {
  const { stops } = ports;
  const isPaused = await ports.isPaused();
  const entries = book.takeDue(moment.now, BATCH);
  try {
    const judged: Judged[] = [];
    for (const entry of entries) {
      const { id } = entry.agent;
      const pauseReason = isPaused
        ? SLOT_REASONS.paused
        : await ports.findHoldReason(entry.agent) ??
          (stops.admits(id) ? undefined : `${SLOT_REASONS.stopped}: ${stops.reasonOf(id)}`);
      judged.push({ entry, verdict: judge(entry, { ...moment, book, pauseReason }) });
    }
    // Slots that do not run are stored before runs start. After a crash in between, the slots to run have no outcome yet
    // and are processed again.
    const passed = judged.flatMap(({ entry, verdict }) =>
      verdict.passed ? [{ agentId: entry.agent.id, executionId: null, ...verdict.passed }] : []
    );
    const further = passed.length > 0
      ? await ports.slots.recordSlots(passed)
      : new Map<string, number>();
    for (const { entry, verdict } of judged) {
      book.advance(entry, further.get(entry.agent.id) ?? verdict.passed?.lastSlot ?? null);
    }
    const missed = passed.filter((row) => row.outcome === "missed" && !further.has(row.agentId));
    // `further` contains the schedules that another machine has advanced. Their remaining slots are due in the next batch.
    const own = judged.filter(({ entry }) => !further.has(entry.agent.id));
    return { missed, ...await startRuns(own, book, { ...ports, ...moment }) };
  } catch (error) {
    for (const entry of entries) book.postpone(entry, moment.now + RETRY_MS);
    throw error;
  }
}

async function startRuns(
  judged: readonly Judged[],
  book: ScheduleBook,
  { start, check, now }: SchedulerPorts & { now: number },
): Promise<Omit<BatchReport, "missed">> {
  const failures: unknown[] = [];
  let isStopping = false;
  const due = judged.flatMap(({ entry, verdict: { run } }) =>
    run === undefined ? [] : { entry, run }
  );
  for (let first = 0; first < due.length && !isStopping; first += STARTED_AT_ONCE) {
    if (first > 0) await nextTurn();
    await Promise.all(
      due.slice(first, first + STARTED_AT_ONCE).map(async ({ entry, run }) => {
        const { agent } = entry;
        const { scheduledFor } = run;
        if (isTriggeredBy(agent, "change")) {
          check(agent, scheduledFor);
          return book.advance(entry, scheduledFor);
        }
        try {
          const cause = { type: "schedule" as const, scheduledFor };
          const { outcome } = await start(agent, { cause, claim: { type: "slot", ...run } });
          if (outcome === "stopping") isStopping = true;
          else book.advance(entry, scheduledFor);
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
  { book, now, wokeLate, pauseReason }: {
    book: ScheduleBook;
    now: number;
    wokeLate: boolean;
    pauseReason: string | undefined;
  },
): SlotVerdict {
  const due = book.dueSlots(entry, now);
  if (due === null) return {};
  const { trigger } = entry.agent;
  const isCheck = trigger.type === "change";
  const catchUp = isCheck ? "once" : trigger.catchUp;
  const missReason = whyMissed(entry, { due, wokeLate });
  const circumstances = { now, pauseReason, missReason, isCheck };
  // If a later slot has already run, an older slot is not caught up.
  return judgeSlots(due, { ...circumstances, catchUp: due.isNewest ? catchUp : "none" });
}

function whyMissed(
  { unseen, hasFailed }: ScheduleEntry,
  { due, wokeLate }: { due: DueSlots; wokeLate: boolean },
): string {
  if (hasFailed) return "its run could not be stored";
  if (due.first <= unseen.until) return unseen.because;
  return wokeLate ? "the machine slept or the clock was set forward" : "the service was busy";
}
