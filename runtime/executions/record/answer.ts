// Limits the length of final answers.
import type { Redactor } from "../../secrets/redactor.ts";

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
