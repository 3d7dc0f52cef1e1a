// How a recorded run ended: by what its loop decides again when it is played, or by what came from outside of it.
import type { Outcome } from "../executions/record/ending_store.ts";
import { endCodeOf, isReplayedEnd } from "../executions/end_reason.ts";
import type { FinalStatus } from "../executions/states.ts";
import type { Cassette } from "./cassette.ts";

type Recorded = NonNullable<Cassette["outcome"]>;

/** Whether a play must come to this end by itself; else it is taken from the record. */
export function isDecidedByLoop(end: Pick<Recorded, "status" | "error">): boolean {
  return end.status === "success" || isReplayedEnd(endCodeOf(end));
}

/** A recorded end as the outcome that is stored. `by`: who ended it, where that was not the run itself. */
export function toRecordedOutcome(recorded: Recorded, by?: "outside"): Outcome {
  const { status, error, output, cut } = recorded;
  const changer = status === "orphaned" ? "recovery" as const : by;
  return {
    status: status as FinalStatus,
    ...(changer !== undefined && { by: changer }),
    error,
    output,
    ...(cut !== undefined && {
      cut: {
        inputTokens: cut.input_tokens,
        outputTokens: cut.output_tokens,
        costUsd: cut.cost_usd,
      },
    }),
  };
}

/** An end as a person reads it. */
export function describeOutcome(
  { status, error }: { status: string; error: string | null },
): string {
  return error === null ? status : `${status}: ${error}`;
}
