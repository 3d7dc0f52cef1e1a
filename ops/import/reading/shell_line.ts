// Splits a command line of a shell into its commands. Unlike the lexer for approvals, it accepts every line, because its
// result is shown to a person and never run.
import { basename } from "../../../base/plain_path.ts";

/** A command of a line. */
export interface ShellCommand {
  /** The operator before the command, such as `&&` or `|`. Empty before the first one. */
  operator: string;
  /** The words without their quotes. Substitutions such as `$(date)` stay in them as written. */
  words: string[];
  /** The names of the variables that are set for the command. */
  variables: string[];
  /** The file that is the command's input. */
  input?: string;
  /** The redirections of the output, as written. */
  outputs: string[];
  /** The command as written. */
  text: string;
}

const SUBSTITUTION = /\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`/.source;
const DOUBLE = /"(?:[^"\\]|\\[^])*"/.source;
const WORD = `(?:'[^']*'|${DOUBLE}|\\\\[^]|${SUBSTITUTION}|[^\\s;&|<>()])+`;
const PART = new RegExp(
  `((?:\\d|&)?>{1,2}[|&]?|<{1,3})[ \\t]*(${WORD})?|(&&|\\|\\||[;|&\\n])|${WORD}`,
  "g",
);
const VARIABLE = /\$\{?([A-Za-z_]\w*)\}?/.source;
const QUOTES = new RegExp(`'([^']*)'|(${DOUBLE})|\\\\([^])|${SUBSTITUTION}|${VARIABLE}`, "g");
const IN_DOUBLE = new RegExp(`\\\\([$\`"\\\\\\n])|${SUBSTITUTION}|${VARIABLE}`, "g");

/**
 * Returns the commands of a line; those of `sh -c 'commands'` take its place. Variables that are known get their values,
 * except between single quotes.
 */
export function readShellLine(line: string, known: ReadonlyMap<string, string>): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let start = 0;
  let command: ShellCommand = emptyCommand("");
  const end = (at: number, operator: string) => {
    command.text = line.slice(start, at).trim();
    if (command.words.length + command.variables.length > 0) {
      commands.push(...innerCommands(command, known));
    }
    command = emptyCommand(operator);
    start = at + operator.length;
  };
  for (const { 0: part, 1: arrow, 2: target = "", 3: operator, index } of line.matchAll(PART)) {
    if (operator !== undefined) end(index, operator);
    else if (arrow === "<") command.input = unquote(target, known);
    else if (arrow !== undefined) command.outputs.push(part);
    else {
      const [, name] = /^([A-Za-z_]\w*)=/.exec(part) ?? [];
      if (name !== undefined && command.words.length === 0) command.variables.push(name);
      else if (part !== "{" && part !== "}") command.words.push(unquote(part, known));
    }
  }
  end(line.length, "");
  return commands;
}

function emptyCommand(operator: string): ShellCommand {
  return { operator, words: [], variables: [], outputs: [], text: "" };
}

function innerCommands(command: ShellCommand, known: ReadonlyMap<string, string>): ShellCommand[] {
  const { operator, words, variables, outputs } = command;
  const script = words[words.findIndex((word) => /^-\w*c$/.test(word)) + 1];
  if (!/^(?:ba|z|da|k)?sh$/.test(basename(words[0] ?? "")) || script === words[0]) return [command];
  return readShellLine(script ?? "", known).map((inner, index) => ({
    ...inner,
    operator: index === 0 ? operator : inner.operator,
    variables: [...variables, ...inner.variables],
    outputs: [...inner.outputs, ...outputs],
  }));
}

function unquote(word: string, known: ReadonlyMap<string, string>): string {
  return word.replace(
    QUOTES,
    (match, single, double: string | undefined, escaped, name) =>
      single ?? escaped ?? known.get(name) ?? double?.slice(1, -1).replace(
        IN_DOUBLE,
        (inner, one, variable) => one ?? known.get(variable) ?? inner,
      ) ?? match,
  );
}
