// The shells that are served, each with its way of handing over words and taking an answer.
import { toOneLine } from "../output/sanitise.ts";
import type { Completion } from "./completion.ts";
import type { Shell } from "./shell_script.ts";
import { readTypedWord } from "./typed_word.ts";

/** What a shell handed over, as the words that the program would get. */
export interface ShellLine {
  /** The last one is that of the cursor. */
  words: readonly string[];
  /** What the last word begins with and the shell does not replace. */
  kept: string;
  /** The quotation mark that is open at the cursor. */
  quote: "" | '"' | "'";
}

/** Longer descriptions are cut: the list has one line for each candidate. */
const LONGEST_DESCRIPTION = 80;

/** Where bash takes a word apart, although it is one to everybody else. */
const BASH_BREAK = /^[=:@]+$/;

/** Reads the words of a shell's script, see shell_script.ts: those behind the program's name, up to the cursor. */
export function readShellLine(shell: Shell, handed: readonly string[]): ShellLine {
  if (shell === "bash") return readBashLine(handed);
  const current = handed.at(-1) ?? "";
  // zsh takes the quotes off by itself; fish does so with every word but that of the cursor.
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

/** The answer as the shell's script reads it: a candidate a line, then a colon and what to do without any. */
export function formatAnswer(shell: Shell, completion: Completion, line: ShellLine): string {
  const lines = completion.candidates
    // A line break in a value could not be told from the next one.
    .filter(({ value }) => !/\p{Cc}/u.test(value))
    .map(({ value, description }) =>
      shell === "bash"
        ? quoteForBash(value.slice(line.kept.length), line.quote)
        : `${value}\t${toOneLine(description).slice(0, LONGEST_DESCRIPTION)}`
    );
  return [...lines, `:${completion.fallback}`, ""].join("\n");
}

/** As a person would have to type it behind what is typed already. The other shells do that by themselves. */
function quoteForBash(value: string, quote: ShellLine["quote"]): string {
  if (quote === "'") return value;
  if (quote === '"') return value.replaceAll(/["\\$`]/g, "\\$&");
  return value.replaceAll(/[^\p{L}\p{M}\p{N}_./:=@%+,-]/gu, "\\$&");
}
