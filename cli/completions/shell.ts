// Converts the words of each shell's completion script, and formats the answer for it.
import { toOneLine } from "../output/sanitize.ts";
import type { Completion } from "./completion.ts";
import type { Shell } from "./shell_script.ts";
import { readTypedWord } from "./typed_word.ts";

/** The words of a shell as the program would receive them. */
export interface ShellLine {
  /** The last word is at the cursor. */
  words: readonly string[];
  /** The beginning of the last word that the shell does not replace. */
  kept: string;
  /** The open quotation mark at the cursor. */
  quote: "" | '"' | "'";
}

/** Longer descriptions are cut, because each candidate has one line. */
const LONGEST_DESCRIPTION = 80;

/** The characters at which bash splits words for completion. */
const BASH_BREAK = /^[=:@]+$/;

/** Reads the words that a completion script passes: those after the program's name, up to the cursor. */
export function readShellLine(shell: Shell, handed: readonly string[]): ShellLine {
  if (shell === "bash") return readBashLine(handed);
  const current = handed.at(-1) ?? "";
  // zsh removes the quotes; fish removes them from every word except the one at the cursor.
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

/** Formats the answer for the script: one candidate per line, then a colon and the fallback. */
export function formatAnswer(shell: Shell, completion: Completion, line: ShellLine): string {
  const lines = completion.candidates
    // A line break in a value would read as the end of the candidate.
    .filter(({ value }) => !/\p{Cc}/u.test(value))
    .map(({ value, description }) =>
      shell === "bash"
        ? quoteForBash(value.slice(line.kept.length), line.quote)
        : `${value}\t${toOneLine(description).slice(0, LONGEST_DESCRIPTION)}`
    );
  return [...lines, `:${completion.fallback}`, ""].join("\n");
}

/** Quotes a completion for bash. The other shells do that by themselves. */
function quoteForBash(value: string, quote: ShellLine["quote"]): string {
  if (quote === "'") return value;
  if (quote === '"') return value.replaceAll(/["\\$`]/g, "\\$&");
  return value.replaceAll(/[^\p{L}\p{M}\p{N}_./:=@%+,-]/gu, "\\$&");
}
