// A command as it is declared, and the program that it belongs to. What is typed is read by the types of the declaration.
import type { CommandContext } from "../context.ts";
import { type CommandResult, EXIT, type ExitCode } from "../exit.ts";
import { GLOBAL_OPTIONS, HELP_OPTION } from "../global_options.ts";
import type { Argument } from "./argument.ts";
import {
  type Arguments,
  type OptionsOf,
  readArguments,
  readOptions,
  type TypedOptions,
} from "./reading.ts";
import type { Options } from "./scanner.ts";
import { UsageError } from "./usage_error.ts";

/** A command line to copy, and what it is for. */
export type Example = readonly [commandLine: string, meaning: string];

/** What a command does. */
export type Action = (context: CommandContext) => Promise<ExitCode>;

/** The declaration of a command; its code is loaded only when it is chosen. */
interface CommandFacts {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Example[];
  /** Whether help, suggestions and the Tab key leave it out. */
  readonly isHidden: boolean;
  readonly arguments: Readonly<Record<string, Argument>>;
  /** Its own, then those that all commands take. */
  readonly options: Options;
}

/** A command, its own types known to nobody but itself. */
export interface Command extends CommandFacts {
  /** Reads what was typed; the result does it. Throws UsageError for what does not fit. */
  prepare(typed: TypedOptions, words: readonly string[]): Action;
}

/** A command with its types, and without the code that does it. */
export interface DeclaredCommand<Values extends object, Words extends object> extends CommandFacts {
  /** The command whose code this loads. */
  loads(load: () => Promise<{ perform: PerformWith<Values, Words> }>): Command;
}

type PerformWith<Values, Words> = (
  context: CommandContext,
  options: Partial<Values>,
  words: Words,
) => Promise<CommandResult>;

/** The code of a declared command. */
export type Perform<Declared> = Declared extends DeclaredCommand<infer Values, infer Words>
  ? PerformWith<Values, Words>
  : never;

/** The options that a declared command is given. */
export type CommandOptions<Declared> = Declared extends DeclaredCommand<infer Values, infer _Words>
  ? Partial<Values>
  : never;

/** The whole command line. */
export interface Program {
  readonly name: string;
  readonly description: string;
  /** Those that may stand before a command's name. */
  readonly options: Options;
  readonly commands: readonly Command[];
}

/** A command as it is written down. Its types are inferred from the options and arguments. */
export interface CommandDeclaration<Values extends object, Words extends object> {
  name: string;
  description: string;
  examples: readonly Example[];
  isHidden?: boolean;
  arguments?: Arguments<Words>;
  options?: OptionsOf<Values>;
  /** Options, each with those that contradict it. */
  conflicts?: { [Key in keyof NoInfer<Values>]?: readonly (keyof NoInfer<Values>)[] };
}

/** The command that a declaration describes. */
export function declareCommand<Values extends object, Words extends object>(
  declaration: CommandDeclaration<Values, Words>,
): DeclaredCommand<Values, Words> {
  const { name, description, examples, isHidden = false } = declaration;
  const args = declaration.arguments ?? {} as Arguments<Words>;
  const own = declaration.options ?? {} as OptionsOf<Values>;
  const facts = {
    name,
    description,
    examples,
    isHidden,
    arguments: { ...args },
    options: { ...own, ...GLOBAL_OPTIONS, help: HELP_OPTION },
  };
  return {
    ...facts,
    loads: (load) => ({
      ...facts,
      prepare(typed, words) {
        const options = readOptions(own, typed, name);
        checkConflicts({ name, options: own, conflicts: declaration.conflicts ?? {} }, typed);
        const read = readArguments(args, words, name);
        return async (context) => {
          const { perform } = await load();
          return await perform(context, options, read) ?? EXIT.ok;
        };
      },
    }),
  };
}

function checkConflicts<Values extends object, Words extends object>(
  { name, options, conflicts }: Required<
    Pick<CommandDeclaration<Values, Words>, "name" | "options" | "conflicts">
  >,
  typed: TypedOptions,
): void {
  for (const key in options) {
    if (!typed.has(key)) continue;
    for (const other in options) {
      if (!typed.has(other) || !conflicts[key]?.includes(other)) continue;
      const [one, two] = [options[key].flags, options[other].flags];
      throw new UsageError(`Option '${one}' cannot be used with option '${two}'`, name);
    }
  }
}

/** The code of the command that is declared so: its parameters have the types of the declaration. */
export function performs<Declared>(perform: Perform<Declared>): Perform<Declared> {
  return perform;
}
