// The final answer: what of it is kept.
import type { Redactor } from "../secrets/redactor.ts";

const ANSWER_CHARACTERS = 1_000_000;

/** The answer as stored and sent: whole up to 1,000,000 characters, beyond that cut with a last line that says so. */
export function boundAnswer(text: string, redactor: Pick<Redactor, "beginningOf">): string {
  if (text.length <= ANSWER_CHARACTERS) return text;
  const note = `\n[The answer was cut: it has ${text.length} characters, ` +
    `${ANSWER_CHARACTERS} is the most that is kept.]`;
  return redactor.beginningOf(text, ANSWER_CHARACTERS - note.length) + note;
}
