// The length limit of final answers.
import type { Redactor } from "../../secrets/redactor.ts";

/** The maximum length of a stored answer, in code points. */
export const ANSWER_CHARACTERS = 1_000_000;

/** Returns the answer as it is stored and sent: cut to 1,000,000 code points, with a last line that reports the cut. */
export function boundAnswer(text: string, redactor: Pick<Redactor, "beginningOf">): string {
  // `length` counts code units, of which there are at least as many as characters, and needs no loop.
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

/** Returns the offset in code units after the first `characters` code points of a longer text. */
function endOf(text: string, characters: number): number {
  let end = 0;
  for (let count = 0; count < characters; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}
