// Determines the kind of the word at the cursor of a command line. It uses the scanner of the command line parser.
import type { Argument } from "../command_line/argument.ts";
import type { Command, Program } from "../command_line/command.ts";
import type { Option } from "../command_line/option.ts";
import { findOption, type Options, Scanner, type Token } from "../command_line/scanner.ts";

/** The kind of the word at the cursor, its typed part, and the preceding words. */
export type Cursor =
  & {
    /** The options of the command before the cursor. Before a command is typed: the options of the program. */
    options: Options;
    /** The arguments before the cursor, without the name of the command. */
    operands: readonly string[];
    /** The typed value of --workspace, or undefined. */
    workspace: string | undefined;
    /** True if a preceding word is `--`, so that the word cannot be an option. */
    isBehindDashes: boolean;
    typed: string;
  }
  & (
    | { kind: "command" }
    | { kind: "option" }
    /** `prefix` is the part of the word that precedes the value, such as `--name=`. */
    | { kind: "value"; option: Option; prefix: string }
    | { kind: "argument"; argument: Argument }
    | { kind: "nothing" }
  );

/** Parses the words after the program's name. The last word is the word at the cursor; it may be empty. */
export function readCursor(program: Program, words: readonly string[]): Cursor {
  const typed = words.at(-1) ?? "";
  const scanner = new Scanner(words.slice(0, -1));
  const line = new Line(program);
  for (let token; (token = scanner.next(line.options)) !== undefined;) line.add(token);
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

/** Returns the commands that the help lists. */
export function visibleCommands(program: Program): readonly Command[] {
  return program.commands.filter(({ isHidden }) => !isHidden);
}

/** Collects the parsed tokens before the cursor. */
class Line {
  command: Command | undefined;
  operands: string[] = [];
  workspace: string | undefined;
  readonly #program: Program;
  #last: Token | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** The options of the typed command. Before a command is typed: the options of the program. */
  get options(): Options {
    return (this.command ?? this.#program).options;
  }

  add(token: Token): void {
    this.#last = token;
    if (token.kind === "option" && token.key === "workspace") this.workspace = token.text;
    if (token.kind !== "operand") return;
    const { word } = token;
    const isName = this.command === undefined && this.operands.length === 0;
    const found = isName && visibleCommands(this.#program).find(({ name }) => name === word);
    if (found) this.command = found;
    else this.operands.push(word);
  }

  /** Returns the option whose value is the word at the cursor, or undefined if the word is not a value. */
  optionWaitingFor(typed: string): Option | undefined {
    const last = this.#last;
    if (last?.kind === "unfinished") return last.option;
    const mayWait = last?.kind === "option" && last.option.takes === "text-or-nothing" &&
      last.text === undefined;
    return mayWait && !typed.startsWith("-") ? last.option : undefined;
  }
}
