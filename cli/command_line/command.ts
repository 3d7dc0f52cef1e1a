// The declarations of commands and of the program. The types of options and arguments follow from the declaration.
import type { CommandContext } from "../context/context.ts";
import { type CommandResult, EXIT, type ExitCode } from "../context/exit.ts";
import { GLOBAL_OPTIONS, HELP_OPTION } from "./global_options.ts";
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

/** A command line to copy, and its description. */
export type Example = readonly [commandLine: string, meaning: string];

/** A parsed command, ready to run. */
export type Action = (context: CommandContext) => Promise<ExitCode>;

/** The untyped part of a command's declaration. */
interface CommandFacts {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Example[];
  /** True if help, suggestions and completion leave the command out. */
  readonly isHidden: boolean;
  readonly arguments: Readonly<Record<string, Argument>>;
  /** The command's own options, then the global options. */
  readonly options: Options;
}

/** A command without its type parameters. */
export interface Command extends CommandFacts {
  /** Parses the typed options and words, and returns the action. Throws UsageError. */
  prepare(typed: TypedOptions, words: readonly string[]): Action;
}

/** A command with its types, but without its code. */
export interface DeclaredCommand<Values extends object, Words extends object> extends CommandFacts {
  /** Adds the function that loads the command's code. */
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

/** The parsed options of a declared command. */
export type CommandOptions<Declared> = Declared extends DeclaredCommand<infer Values, infer _Words>
  ? Partial<Values>
  : never;

/** The whole command line. */
export interface Program {
  readonly name: string;
  readonly description: string;
  /** The options that may precede a command's name. */
  readonly options: Options;
  readonly commands: readonly Command[];
}

/** The input of declareCommand(). Its types are inferred from the options and arguments. */
export interface CommandDeclaration<Values extends object, Words extends object> {
  name: string;
  description: string;
  examples: readonly Example[];
  isHidden?: boolean;
  arguments?: Arguments<Words>;
  options?: OptionsOf<Values>;
  /** For each option, the options that cannot be used with it. */
  conflicts?: { [Key in keyof NoInfer<Values>]?: readonly (keyof NoInfer<Values>)[] };
}

/** Declares a command. */
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

/** Gives the code of a declared command the parameter types of its declaration. */
export function performs<Declared>(perform: Perform<Declared>): Perform<Declared> {
  return perform;
}
