// The final answer: what of it is kept.
import { beginningOf } from "../cut_text.ts";

const ANSWER_CHARACTERS = 1_000_000;

/** The answer as stored and sent: whole up to 1,000,000 characters, beyond that cut with a last line that says so. */
export function boundAnswer(text: string): string {
  if (text.length <= ANSWER_CHARACTERS) return text;
  const note = `\n[The answer was cut: it has ${text.length} characters, ` +
    `${ANSWER_CHARACTERS} is the most that is kept.]`;
  return beginningOf(text, ANSWER_CHARACTERS - note.length) + note;
}
