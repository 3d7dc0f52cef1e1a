// Splits a command line of a shell into its commands. Unlike the lexer for approvals, it accepts every line, because its
// result is shown to a person and never run.

/** The operator before a command. */
export type Operator = "" | "&&" | "||" | ";" | "|" | "&";

/** A command of a line. */
export interface ShellCommand {
  operator: Operator;
  /** The words without their quotes. Substitutions such as `$(date)` stay in them as written. */
  words: string[];
  /** The assignments before the command. */
  variables: Map<string, string>;
  /** The file that is the command's input. */
  input?: string;
  /** The redirections of the output, as written. */
  outputs: string[];
  /** The command as written. */
  text: string;
}

const PART = new RegExp(
  [
    /(?<blank>[ \t]+)/,
    /(?<redirect>(?:\d|&)?>{1,2}[|&]?|<{1,3})[ \t]*/,
    /(?<end>&&|\|\||[;|&\n])/,
    /(?<group>\)|(?<=^|[\s;&|(])\(|(?<=^|[\s;&|])[{}](?=[\s;&|]|$))/,
    /'(?<single>[^']*)'?/,
    /"(?<double>(?:[^"\\]|\\[^])*)"?/,
    /\\(?<escaped>[^])/,
    /(?<substitution>\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`)/,
    /(?<variable>\$\{\w+\}|\$[A-Za-z_]\w*)/,
    /(?<plain>[^])/,
  ].map(({ source }) => source).join("|"),
  "gm",
);

/** Returns the commands of a line. Variables that are known get their values, except between single quotes. */
export function readShellLine(
  line: string,
  known: ReadonlyMap<string, string> = new Map(),
): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let command = emptyCommand("");
  let word: string | undefined;
  let redirect: string | undefined;
  let isQuoted = false;
  const endWord = () => {
    if (word === undefined) return;
    const [, name, value = ""] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word) ?? [];
    if (redirect !== undefined) addRedirect(command, redirect, word);
    else if (name !== undefined && command.words.length === 0) command.variables.set(name, value);
    else if (command.words.length > 0 || isQuoted || word !== "") command.words.push(word);
    word = redirect = undefined;
    isQuoted = false;
  };
  const endCommand = (next: Operator) => {
    endWord();
    command.text = command.text.trim();
    if (command.words.length > 0 || command.variables.size > 0) commands.push(command);
    command = emptyCommand(next);
  };
  for (const { 0: part, groups = {} } of line.matchAll(PART)) {
    const { blank, redirect: arrow, end, group, single, double, escaped } = groups;
    if (end !== undefined) {
      endCommand(end === "\n" ? ";" : end as Operator);
      continue;
    }
    if (group === undefined) command.text += part;
    if (blank !== undefined || group !== undefined) endWord();
    else if (arrow !== undefined) {
      endWord();
      redirect = arrow;
    } else {
      isQuoted ||= single !== undefined || double !== undefined;
      word = (word ?? "") + (single ?? (double === undefined ? escaped : unquote(double, known)) ??
        expand(part, known));
    }
  }
  endCommand("");
  return commands;
}

function emptyCommand(operator: Operator): ShellCommand {
  return { operator, words: [], variables: new Map(), outputs: [], text: "" };
}

function addRedirect(command: ShellCommand, arrow: string, target: string): void {
  if (arrow === "<") command.input = target;
  else command.outputs.push(`${arrow} ${target}`.replace("& ", "&"));
}

function unquote(text: string, known: ReadonlyMap<string, string>): string {
  return text.replace(
    /\\([$`"\\\n])|\$\((?:[^()]|\([^()]*\))*\)|\$\{\w+\}|\$[A-Za-z_]\w*/g,
    (match, escaped) => escaped === undefined ? expand(match, known) : escaped.replace("\n", ""),
  );
}

function expand(text: string, known: ReadonlyMap<string, string>): string {
  const name = /^\$\{?(\w+)\}?$/.exec(text)?.[1];
  return name === undefined ? text : known.get(name) ?? text;
}
