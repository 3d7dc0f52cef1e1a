// Classifies the end of a recorded run: decided by the loop, or caused from outside.
import type { Outcome } from "../executions/record/ending_store.ts";
import { endCodeOf, isReplayedEnd } from "../executions/end_reason.ts";
import type { FinalStatus } from "../executions/states.ts";
import type { Cassette } from "./cassette.ts";

type Recorded = NonNullable<Cassette["outcome"]>;

/** Returns true if a play must reach this end by its loop. Other ends are taken from the record. */
export function isDecidedByLoop(end: Pick<Recorded, "status" | "error">): boolean {
  return end.status === "success" || isReplayedEnd(endCodeOf(end));
}

/** Converts a recorded end to an outcome to store. `by` is set if the end came from outside. */
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

/** Returns a description of an end for people. */
export function describeOutcome(
  { status, error }: { status: string; error: string | null },
): string {
  return error === null ? status : `${status}: ${error}`;
}
