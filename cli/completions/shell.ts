// Converts the words that a shell's completion script passes, and formats the answer for that script.
import { toOneLine } from "../output/sanitize.ts";
import type { Completion } from "./complete_line.ts";
import type { Shell } from "./shell_script.ts";

/** A typed command line, with the words as the shell would pass them to the program. */
export interface ShellLine {
  /** The words after the program's name. The last word is at the cursor. */
  words: readonly string[];
  /** The beginning of the last word, which bash keeps. A completion replaces only the rest of the word. */
  kept: string;
  /** The quotation mark that is open at the cursor, or an empty text. */
  quote: "" | '"' | "'";
}

/** The maximum length of a description. Longer descriptions are truncated, because each candidate has one line. */
const LONGEST_DESCRIPTION = 80;

/** Matches the characters at which bash splits words for completion. */
const BASH_BREAK = /^[=:@]+$/;

/** Parses the words that a completion script passes: the words after the program's name, up to the cursor. */
export function readShellLine(shell: Shell, handed: readonly string[]): ShellLine {
  if (shell === "bash") return readBashLine(handed);
  const current = handed.at(-1) ?? "";
  // zsh has removed the quotes. fish has removed them from every word except the word at the cursor.
  const typed = shell === "fish" ? readTypedWord(current).text : current;
  return { words: [...handed.slice(0, -1), typed], kept: "", quote: "" };
}

function readBashLine(handed: readonly string[]): ShellLine {
  const words: string[] = [];
  let kept = "";
  let quote: ShellLine["quote"] = "";
  let joins = false;
  for (const piece of handed) {
    const isBreak = BASH_BREAK.test(piece);
    const typed = readTypedWord(piece);
    const before = isBreak || joins ? words.pop() ?? "" : "";
    words.push(before + typed.text);
    kept = isBreak ? before + typed.text : before;
    quote = typed.quote;
    joins = isBreak;
  }
  return { words: words.length === 0 ? [""] : words, kept, quote };
}

/**
 * Formats the answer for the completion script: each candidate on a line, and a last line with a colon and the fallback.
 */
export function formatAnswer(shell: Shell, completion: Completion, line: ShellLine): string {
  const lines = completion.candidates
    // Omits values with control characters, because a line break in a value would end the candidate.
    .filter(({ value }) => !/\p{Cc}/u.test(value))
    .map(({ value, description }) =>
      shell === "bash"
        ? quoteForBash(value.slice(line.kept.length), line.quote)
        : `${value}\t${toOneLine(description).slice(0, LONGEST_DESCRIPTION)}`
    );
  return [...lines, `:${completion.fallback}`, ""].join("\n");
}

/** Escapes the special characters of a completion for bash. The other shells escape completions themselves. */
function quoteForBash(value: string, quote: ShellLine["quote"]): string {
  if (quote === "'") return value;
  if (quote === '"') return value.replaceAll(/["\\$`]/g, "\\$&");
  return value.replaceAll(/[^\p{L}\p{M}\p{N}_./:=@%+,-]/gu, "\\$&");
}

/**
 * Parses a shell word, which may be incomplete. Returns its text without quotation marks, and the quotation mark that is open
 * at its end.
 */
export function readTypedWord(typed: string): Pick<ShellLine, "quote"> & { text: string } {
  let text = "";
  let quote: ShellLine["quote"] = "";
  const characters = [...typed];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    const next = characters[index + 1];
    if (quote === "'") {
      if (character === "'") quote = "";
      else text += character;
    } else if (character === "\\") {
      // Within double quotes, a backslash escapes only certain characters. Before any other character, the backslash is a
      // part of the text.
      const isKept = quote === '"' && next !== undefined && !'"\\$`'.includes(next);
      text += (isKept ? "\\" : "") + (next ?? "");
      index++;
    } else if (character === quote) {
      quote = "";
    } else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
    } else {
      text += character;
    }
  }
  return { text, quote };
}
