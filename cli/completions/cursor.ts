// Where the cursor stands in a command line: reads the words before it as the parser of the program does.
import type { Argument } from "../command_line/argument.ts";
import type { Command, Program } from "../command_line/command.ts";
import type { Option } from "../command_line/option.ts";
import { findOption, type Options, Scanner, type Token } from "../command_line/scanner.ts";

/** What belongs at the cursor, and what is typed of it so far. */
export type Cursor =
  & {
    /** The options of the command that the words before name; those of the program where they name none. */
    options: Options;
    /** The arguments before the cursor, without the command's name. */
    operands: readonly string[];
    /** What stands for --workspace. */
    workspace: string | undefined;
    /** Whether nothing is an option any more. */
    isBehindDashes: boolean;
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
export function readCursor(program: Program, words: readonly string[]): Cursor {
  const typed = words.at(-1) ?? "";
  const scanner = new Scanner(words.slice(0, -1));
  const line = new Line(program);
  for (let token; (token = scanner.next(line.options)) !== undefined;) line.take(token);
  const { options, operands, workspace, command } = line;
  const { isBehindDashes } = scanner;
  const place = { options, operands, workspace, isBehindDashes, typed };
  const waiting = line.optionWaitingFor(typed);
  if (waiting !== undefined) return { ...place, kind: "value", option: waiting, prefix: "" };
  if (!isBehindDashes && typed.startsWith("-")) {
    const [, prefix = "", name, value = ""] = /^((--[^=]+)=)(.*)$/s.exec(typed) ?? [];
    if (name === undefined) return { ...place, kind: "option" };
    const [, option] = findOption(options, name) ?? [];
    if (option === undefined || option.takes === "nothing") return { ...place, kind: "nothing" };
    return { ...place, typed: value, kind: "value", option, prefix };
  }
  if (command === undefined) {
    return { ...place, kind: operands.length === 0 ? "command" : "nothing" };
  }
  const declared = Object.values(command.arguments);
  const last = declared.at(-1);
  const argument = declared[operands.length] ?? (last?.isRest ? last : undefined);
  return argument === undefined
    ? { ...place, kind: "nothing" }
    : { ...place, kind: "argument", argument };
}

/** Everything that may be typed as a command, hidden ones aside. */
export function visibleCommands(program: Program): readonly Command[] {
  return program.commands.filter(({ isHidden }) => !isHidden);
}

/** The words before the cursor, one by one. */
class Line {
  command: Command | undefined;
  operands: string[] = [];
  workspace: string | undefined;
  readonly #program: Program;
  #last: Token | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** What may be typed next. */
  get options(): Options {
    return (this.command ?? this.#program).options;
  }

  take(token: Token): void {
    this.#last = token;
    if (token.kind === "option" && token.key === "workspace") this.workspace = token.text;
    if (token.kind !== "operand") return;
    const { word } = token;
    const isName = this.command === undefined && this.operands.length === 0;
    const found = isName && visibleCommands(this.#program).find(({ name }) => name === word);
    if (found) this.command = found;
    else this.operands.push(word);
  }

  /** The option whose text the next word is, being typed like this. */
  optionWaitingFor(typed: string): Option | undefined {
    const last = this.#last;
    if (last?.kind === "unfinished") return last.option;
    const mayWait = last?.kind === "option" && last.option.takes === "text-or-nothing" &&
      last.text === undefined;
    return mayWait && !typed.startsWith("-") ? last.option : undefined;
  }
}
