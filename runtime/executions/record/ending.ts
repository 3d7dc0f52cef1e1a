// Converts the outcome of a run to the end that is stored.
import type { FrameContent, FrameDraft } from "../../events/frame.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { toStorable } from "../../../base/text/storable_text.ts";
import { boundAnswer } from "./answer.ts";
import type { Ending, Outcome } from "./ending_store.ts";
import { CUT_REPLY, toCompleteFrame, toFinalAnswerFrame, toStatsFrame } from "./frame_contents.ts";

/** Returns a text as it is stored and shown: without secrets and characters that a database refuses. */
export function toShown(text: string, redactor: Redactor): string {
  return toStorable(redactor.redact(text));
}

/** Returns the end of an outcome, with redacted texts. `create` creates frames. */
export function toEnding(
  outcome: Outcome,
  { redactor, create }: { redactor: Redactor; create: (contents: FrameContent[]) => FrameDraft[] },
): Pick<Ending, "status" | "error" | "output" | "cut" | "refusedCalls" | "frames"> {
  const { status, error, cut, refusedCalls } = outcome;
  // Redacted again after the cut, so that the stored answer equals the one in the frame, which is redacted, too.
  const output = outcome.output === null
    ? null
    : toShown(boundAnswer(toShown(outcome.output, redactor), redactor), redactor);
  return {
    status,
    error: error === null ? null : toShown(error, redactor),
    output,
    ...(cut && { cut }),
    ...(refusedCalls && { refusedCalls }),
    frames: (figures) =>
      create([
        ...(cut === undefined ? [] : [toStatsFrame(figures, CUT_REPLY)]),
        ...(output === null ? [] : [toFinalAnswerFrame(output)]),
        toCompleteFrame(figures, cut !== undefined),
      ]),
  };
}
