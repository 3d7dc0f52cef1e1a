// The final answer: how much of it is kept.
import type { Redactor } from "../../secrets/redactor.ts";

/** Code points. */
export const ANSWER_CHARACTERS = 1_000_000;

/**
 * The answer as stored and sent: whole up to 1,000,000 characters (code points), beyond that cut, with a last line that
 * says so.
 */
export function boundAnswer(text: string, redactor: Pick<Redactor, "beginningOf">): string {
  // Code units are never fewer than code points, and need no counting.
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

/** Where the first so many characters of a longer text end, in code units. */
function endOf(text: string, characters: number): number {
  let end = 0;
  for (let count = 0; count < characters; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}
