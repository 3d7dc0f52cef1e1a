// Parses the command line. Decision: Inkling has its own parser (rejected: the package commander). Importing commander
// takes 24 to 46 ms and 15 MB (measured with Deno 2.9.6), which would double the duration of most commands.
import { suggest } from "../../base/text/suggestion.ts";
import { GLOBAL_OPTIONS, type GlobalOptions } from "./global_options.ts";
import type { Action, Command, Program } from "./command.ts";
import { readOptions } from "./reading.ts";
import { type Options, Scanner, type Token } from "./scanner.ts";
import { UsageError } from "./usage_error.ts";

/** The result of parsing a command line. */
export type CommandLine =
  | { kind: "help"; of: Command | Program }
  | { kind: "version" }
  /** The command line names no command. */
  | { kind: "nothing" }
  | { kind: "command"; name: string; options: GlobalOptions; perform: Action };

/**
 * Parses a command line. Options before the command's name belong to the program. Options after the name belong to the
 * command, which also accepts the program's options. If an option is typed in both places, the later value counts. Throws
 * UsageError for an invalid command line.
 */
export function parseCommandLine(program: Program, words: readonly string[]): CommandLine {
  const scanner = new Scanner(words);
  const line = new Line(program);
  for (;;) {
    const token = scanner.next(line.options);
    if (token === undefined) return line.end();
    line.add(token);
  }
}

/** Returns the command with this name, or undefined. */
export function findCommand(program: Program, name: string): Command | undefined {
  return program.commands.find((command) => command.name === name);
}

/** Returns the error for an unknown command, with a similar name as a suggestion. */
export function unknownCommand(program: Program, word: string): UsageError {
  const names = program.commands.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  return new UsageError(`Unknown command '${word}'${didYouMean(suggest(word, names))}`);
}

/** Collects the tokens of a command line and converts them to a CommandLine. */
class Line {
  readonly #program: Program;
  readonly #globals = new Map<string, string[]>();
  readonly #own = new Map<string, string[]>();
  readonly #words: string[] = [];
  #command: Command | undefined;
  /** The error that was found first. */
  #problem: UsageError | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Returns the options that are valid at this point of the command line. */
  get options(): Options {
    return (this.#command ?? this.#program).options;
  }

  add(token: Token): void {
    switch (token.kind) {
      case "option": {
        const { key, text } = token;
        const typed = this.#command === undefined ? this.#globals : this.#own;
        const texts = typed.get(key) ?? [];
        if (text !== undefined) texts.push(text);
        typed.set(key, texts);
        return;
      }
      case "operand":
        return this.#addOperand(token.word);
      case "unfinished":
        return this.#complain(`Option '${token.option.flags}' argument missing`);
      case "overfull":
        return this.#complain(`Option '${token.option.flags}' takes no argument`);
      case "unknown":
        return this.#complain(describeUnknown(token.word, this.options));
      default:
        return token satisfies never;
    }
  }

  end(): CommandLine {
    const command = this.#command;
    // Help is shown even if the command line contains errors.
    if (this.#globals.has("help") || this.#own.has("help")) {
      return { kind: "help", of: command ?? this.#program };
    }
    if (this.#globals.has("version")) return { kind: "version" };
    if (this.#problem !== undefined) throw this.#problem;
    if (command === undefined) return { kind: "nothing" };
    const { name } = command;
    return {
      kind: "command",
      name,
      perform: command.prepare(this.#own, this.#words),
      options: {
        ...readOptions(GLOBAL_OPTIONS, this.#globals),
        ...readOptions(GLOBAL_OPTIONS, this.#own, name),
      },
    };
  }

  #addOperand(word: string): void {
    if (this.#command !== undefined) {
      this.#words.push(word);
    } else if (this.#problem === undefined) {
      this.#command = findCommand(this.#program, word);
      if (this.#command === undefined) this.#problem = unknownCommand(this.#program, word);
    }
    // After an error, the words are ignored, because it is unknown which word is the name of the command.
  }

  #complain(problem: string): void {
    this.#problem ??= new UsageError(problem, this.#command?.name);
  }
}

function describeUnknown(word: string, options: Options): string {
  const names = Object.values(options).map(({ long }) => long.slice(2));
  const meant = word.startsWith("--") ? suggest(word.slice(2), names) : undefined;
  return `Unknown option '${word}'${didYouMean(meant && `--${meant}`)}`;
}

function didYouMean(meant: string | undefined): string {
  return meant === undefined ? "" : `. Did you mean ${meant}?`;
}
