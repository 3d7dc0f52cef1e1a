// Parses the command line.
// Decision: our own parser, because loading a package would double the duration of most commands (rejected: commander, 24
// to 46 ms and 15 MB, measured with Deno 2.9.6).
import { suggest } from "../../base/text/suggestion.ts";
import { GLOBAL_OPTIONS, type GlobalOptions } from "./global_options.ts";
import type { Action, Command, Program } from "./command.ts";
import { readOptions } from "./reading.ts";
import { type Options, Scanner, type Token } from "./scanner.ts";
import { UsageError } from "./usage_error.ts";

/** A parsed command line. */
export type CommandLine =
  | { kind: "help"; of: Command | Program }
  | { kind: "version" }
  /** No command was named. */
  | { kind: "nothing" }
  | { kind: "command"; name: string; options: GlobalOptions; perform: Action };

/**
 * Parses a command line. Options before the command's name belong to the program, options after it to the command, which
 * also accepts the program's. If an option is typed in both places, the later one counts. Throws UsageError.
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

/** Returns the error for an unknown command. */
export function unknownCommand(program: Program, word: string): UsageError {
  const names = program.commands.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  return new UsageError(`Unknown command '${word}'${didYouMean(suggest(word, names))}`);
}

/** Collects the tokens of one command line. */
class Line {
  readonly #program: Program;
  readonly #globals = new Map<string, string[]>();
  readonly #own = new Map<string, string[]>();
  readonly #words: string[] = [];
  #command: Command | undefined;
  /** The first error. */
  #problem: UsageError | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** The options that may follow. */
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
    // Help has priority over every error.
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
    // After an error it is unknown which word is the command's name.
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
