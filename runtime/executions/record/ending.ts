// Converts the outcome of a run to the end that is stored, and limits the length of its answer.
import type { FrameContent, FrameDraft } from "../../events/frame.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { toStorable } from "../../../base/text/storable_text.ts";
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

/** The maximum length of a stored answer, in code points. */
export const ANSWER_CHARACTERS = 1_000_000;

/**
 * Returns an answer as it is stored and sent. A longer one is cut to 1,000,000 code points, with a last line that reports
 * the cut.
 */
export function boundAnswer(text: string, redactor: Pick<Redactor, "beginningOf">): string {
  // A text has at least as many code units as code points, so most answers need no count.
  if (text.length <= ANSWER_CHARACTERS) return text;
  const characters = countCharacters(text);
  if (characters <= ANSWER_CHARACTERS) return text;
  const note = `\n[The answer was cut: it has ${characters} characters, ` +
    `${ANSWER_CHARACTERS} is the most that is kept.]`;
  return redactor.beginningOf(text, endOf(text, ANSWER_CHARACTERS - note.length)) + note;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns the offset in code units after the first `characters` code points. The text must have more code points. */
function endOf(text: string, characters: number): number {
  let end = 0;
  for (let count = 0; count < characters; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}
