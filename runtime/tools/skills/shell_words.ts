// A line of arguments as a shell splits it into words. Quotes and escapes only: nothing is expanded, nothing is executed.
import { ToolFailure } from "../tool_failure.ts";

/** In double quotes a backslash escapes these and is itself elsewhere. */
const ESCAPED_IN_QUOTES = '"\\$`\n';

/**
 * The words of a line as POSIX sh reads them: 'as it is', "with \" escapes", back\ slashes; blanks and line ends between
 * them. Variables, patterns, pipes and comments mean nothing here. Throws ToolFailure for a quote that is never closed.
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
        // A line end after a backslash joins the lines.
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
