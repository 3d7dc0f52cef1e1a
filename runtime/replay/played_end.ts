// Ends a play as the loop decides or as recorded.
import type { Redactor } from "../secrets/redactor.ts";
import type { Outcome } from "../executions/record/ending_store.ts";
import type { Journal } from "../executions/record/journal.ts";
import type { Difference } from "./difference.ts";
import type { PlayClock } from "./playback.ts";
import { endCodeOf, isLoopLimit, isReplayedEnd } from "../vocabulary/end_reason.ts";
import type { Script } from "./script.ts";

/** The objects that the end of a play needs. */
export interface Ending {
  script: Script;
  clock: PlayClock;
  journal: Journal;
  redactor: Redactor;
}

/** Compares the end that the loop decided with the recorded end. Stores an equal end. Returns the differences. */
export async function endByItself(own: Outcome, ending: Ending): Promise<Difference[]> {
  const { script, clock, journal, redactor } = ending;
  const { outcome } = script;
  if (script.peek() === undefined) {
    if (outcome === null) return [];
    // The recorded run was ended from outside just before the loop would have ended it.
    if (!isDecidedByLoop(outcome) && !isLoopLimit(endCodeOf(own))) {
      return await endAsRecorded(ending);
    }
    const error = own.error === null ? null : redactor.redact(own.error);
    if (own.status === outcome.status && error === outcome.error) {
      clock.set(outcome.at);
      await journal.finish(own);
      return [];
    }
  }
  return [endsDifferently(script, `the run ends: ${describeOutcome(own)}`)];
}

/**
 * Ends the play with the recorded outcome. Returns a difference if the loop should have ended the run earlier. `by` is set
 * if something outside the loop, such as a cancel, ended the recorded run.
 */
export async function endAsRecorded(
  { script, clock, journal }: Ending,
  by?: "outside",
): Promise<Difference[]> {
  const { outcome } = script;
  if (script.peek() !== undefined) return [endsDifferently(script, "the run stops here")];
  if (outcome === null) return [];
  if (isDecidedByLoop(outcome)) return [endsDifferently(script, "the model is asked again")];
  clock.set(outcome.at);
  const { at: _at, ...recorded } = outcome;
  const changer = recorded.status === "orphaned" ? "recovery" as const : by;
  await journal.finish({ ...recorded, ...(changer !== undefined && { by: changer }) });
  return [];
}

/** Returns true if a play must reach this end by its loop. Other ends are taken from the record. */
export function isDecidedByLoop(end: Pick<Outcome, "status" | "error">): boolean {
  return end.status === "success" || isReplayedEnd(endCodeOf(end));
}

function describeOutcome({ status, error }: Pick<Outcome, "status" | "error">): string {
  return error === null ? status : `${status}: ${error}`;
}

function endsDifferently(script: Script, today: string): Difference {
  const { outcome } = script;
  const isOver = script.peek() === undefined && outcome !== null;
  return {
    kind: "end",
    call: script.replies,
    what: "how it goes on",
    recorded: isOver ? `the run ended: ${describeOutcome(outcome)}` : "the run went on",
    today,
  };
}
