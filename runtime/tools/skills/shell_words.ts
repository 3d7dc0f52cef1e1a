// Splits a line of arguments into words like a shell. Processes quotes and escapes only: nothing is expanded or executed.
import { ToolFailure } from "../failures/tool_failure.ts";

/**
 * The characters that a backslash escapes inside double quotes. Before other characters, the backslash stays in the word.
 */
const ESCAPED_IN_QUOTES = '"\\$`\n';

/**
 * Returns the words of a line as POSIX sh would: 'as it is', "with \" escapes", back\ slashes, separated by blanks and line
 * breaks. Variables, patterns, pipes and comments have no meaning. Throws ToolFailure for an unclosed quote.
 */
export function splitShellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: { mark: string; at: number } | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote !== undefined && character === quote.mark) {
      quote = undefined;
    } else if (character === "\\" && quote?.mark !== "'") {
      if (next === "" && quote === undefined) {
        throw new ToolFailure("The arguments end with a backslash that escapes nothing.");
      }
      if (quote === undefined || ESCAPED_IN_QUOTES.includes(next) && next !== "") {
        // A backslash before a line break joins the two lines.
        if (next !== "\n") word = (word ?? "") + next;
        at++;
      } else word = (word ?? "") + character;
    } else if (quote !== undefined) {
      word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = { mark: character, at };
      word ??= "";
    } else if (/[ \t\r\n]/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) {
    throw new ToolFailure(
      `The arguments have a ${quote.mark} at character ${quote.at + 1} that is never closed. ` +
        `A quote that is meant itself is written \\${quote.mark}.`,
    );
  }
  if (word !== undefined) words.push(word);
  return words;
}
