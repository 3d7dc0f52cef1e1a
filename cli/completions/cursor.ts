// Where the cursor stands in a command line: reads the words before it as the parser of the program does.
import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";

/** What belongs at the cursor, and what is typed of it so far. */
export type Cursor =
  & {
    /** The command that the words before belong to; the program where none is named. */
    command: CommandUnknownOpts;
    /** The arguments before the cursor, without the command's name. */
    operands: readonly string[];
    /** What stands for --workspace. */
    workspace: string | undefined;
    typed: string;
  }
  & (
    | { kind: "command" }
    | { kind: "option" }
    /** `prefix` is what stands before the value in the same word: `--name=`. */
    | { kind: "value"; option: Option; prefix: string }
    | { kind: "argument"; argument: Argument }
    | { kind: "nothing" }
  );

/** Reads the words behind the program's name; the last one is that of the cursor, empty where nothing is typed yet. */
export function readCursor(program: CommandUnknownOpts, words: readonly string[]): Cursor {
  const typed = words.at(-1) ?? "";
  const line = new Line(program);
  for (const word of words.slice(0, -1)) line.take(word);
  const { command, operands, workspace, waiting } = line;
  const place = { command, operands, workspace };
  if (waiting !== undefined) return { ...place, typed, kind: "value", option: waiting, prefix: "" };
  if (!line.isBehindDashes && typed.startsWith("-")) {
    const joined = /^(--[^=]+=)(.*)$/s.exec(typed);
    const option = joined && findOption(command, joined[1]?.slice(0, -1) ?? "");
    if (!joined) return { ...place, typed, kind: "option" };
    const [, prefix = "", value = ""] = joined;
    if (!option || !takesValue(option)) return { ...place, typed, kind: "nothing" };
    return { ...place, typed: value, kind: "value", option, prefix };
  }
  if (line.expectsCommand) return { ...place, typed, kind: "command" };
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  return argument === undefined
    ? { ...place, typed, kind: "nothing" }
    : { ...place, typed, kind: "argument", argument };
}

/** Everything that may be typed as a command, hidden ones aside. */
export function visibleCommands(program: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return program.createHelp().visibleCommands(program);
}

/** Everything that may be typed as an option of a command, `--help` among it. */
export function visibleOptions(command: CommandUnknownOpts): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

/** The words before the cursor, one by one. */
class Line {
  command: CommandUnknownOpts;
  operands: string[] = [];
  workspace: string | undefined;
  /** The option whose value the next word is. */
  waiting: Option | undefined;
  isBehindDashes = false;
  /** Whether the next operand names a command: of the program, or of its `help`. */
  expectsCommand = true;
  readonly #program: CommandUnknownOpts;

  constructor(program: CommandUnknownOpts) {
    this.#program = program;
    this.command = program;
  }

  take(word: string): void {
    if (this.waiting !== undefined) {
      this.#give(this.waiting, word);
      this.waiting = undefined;
    } else if (this.isBehindDashes || !word.startsWith("-") || word === "-") {
      this.#takeOperand(word);
    } else if (word === "--") {
      this.isBehindDashes = true;
    } else if (word.startsWith("--")) {
      const [name = "", ...value] = word.split("=");
      const option = findOption(this.command, name);
      if (option && value.length > 0) this.#give(option, value.join("="));
      else if (option && takesValue(option)) this.waiting = option;
    } else {
      this.#takeShortOptions(word.slice(1));
    }
  }

  /** `-qv`, `-n 5` and `-n5`. */
  #takeShortOptions(letters: string): void {
    for (const [index, letter] of [...letters].entries()) {
      const option = findOption(this.command, `-${letter}`);
      if (option === undefined || !takesValue(option)) continue;
      const value = [...letters].slice(index + 1).join("");
      if (value === "") this.waiting = option;
      else this.#give(option, value);
      return;
    }
  }

  #takeOperand(word: string): void {
    if (!this.expectsCommand) {
      this.operands.push(word);
      return;
    }
    const found = visibleCommands(this.#program).find((one) =>
      one.name() === word || one.aliases().includes(word)
    );
    // Behind `help` stands a command's name again.
    const isFirst = this.command === this.#program;
    this.expectsCommand = isFirst && found?.name() === "help";
    if (isFirst && found !== undefined) this.command = found;
    else this.operands.push(word);
  }

  #give(option: Option, value: string): void {
    if (option.long === "--workspace") this.workspace = value;
  }
}

function findOption(command: CommandUnknownOpts, name: string): Option | undefined {
  return visibleOptions(command).find(({ short, long }) => name === short || name === long);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
