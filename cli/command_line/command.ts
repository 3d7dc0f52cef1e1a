// Declares commands and the program. TypeScript infers the types of a command's options and arguments from its declaration.
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

/** An example of a command line, and its description. */
export type Example = readonly [commandLine: string, meaning: string];

/** A function that runs a parsed command and returns its exit code. */
export type Action = (context: CommandContext) => Promise<ExitCode>;

/** The part of a command that does not depend on the types of its options and arguments. */
interface CommandFacts {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Example[];
  /** True if help, suggestions and completions omit the command. */
  readonly isHidden: boolean;
  readonly arguments: Readonly<Record<string, Argument>>;
  /** The options of this command, followed by the global options, by their keys. */
  readonly options: Options;
}

/** A command whose option and argument types are not known. */
export interface Command extends CommandFacts {
  /**
   * Parses the typed options and words, and returns the function that runs the command. Throws UsageError for an invalid
   * option or word.
   */
  prepare(typed: TypedOptions, words: readonly string[]): Action;
}

/** A declared command with typed options and arguments. loads() adds its code. */
export interface DeclaredCommand<Values extends object, Words extends object> extends CommandFacts {
  /** Returns the command with its code. `load` imports the code when the command runs. */
  loads(load: () => Promise<{ perform: PerformWith<Values, Words> }>): Command;
}

type PerformWith<Values, Words> = (
  context: CommandContext,
  options: Partial<Values>,
  words: Words,
) => Promise<CommandResult>;

/** The type of the function that performs a declared command. */
export type Perform<Declared> = Declared extends DeclaredCommand<infer Values, infer Words>
  ? PerformWith<Values, Words>
  : never;

/** The type of the parsed options of a declared command. */
export type CommandOptions<Declared> = Declared extends DeclaredCommand<infer Values, infer _Words>
  ? Partial<Values>
  : never;

/** The program with its commands and its options. */
export interface Program {
  readonly name: string;
  readonly description: string;
  /** The options that may precede the name of a command. */
  readonly options: Options;
  readonly commands: readonly Command[];
}

/** The input of declareCommand(). TypeScript infers `Values` from the options, and `Words` from the arguments. */
export interface CommandDeclaration<Values extends object, Words extends object> {
  name: string;
  description: string;
  examples: readonly Example[];
  isHidden?: boolean;
  arguments?: Arguments<Words>;
  options?: OptionsOf<Values>;
  /** The keys of options that cannot be combined, by option. */
  conflicts?: { [Key in keyof NoInfer<Values>]?: readonly (keyof NoInfer<Values>)[] };
}

/** Returns a command with the given declaration and the global options. */
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

/** Returns the function unchanged, with the parameter types of the declared command. */
export function performs<Declared>(perform: Perform<Declared>): Perform<Declared> {
  return perform;
}
