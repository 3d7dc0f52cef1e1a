// Converts typed texts to the values of options and arguments.
import type { Argument } from "./argument.ts";
import type { Option } from "./option.ts";
import { InvalidValue, UsageError } from "./usage_error.ts";

/** The typed texts of each option by its key, in the order of typing. The list is empty for an option without a text. */
export type TypedOptions = ReadonlyMap<string, readonly string[]>;

/** The declared arguments of a command by name, in their order. */
export type Arguments<Values> = { readonly [Name in keyof Values]: Argument<Values[Name]> };

/** The declared options of a command by key. */
export type OptionsOf<Values> = { readonly [Key in keyof Values]: Option<Values[Key]> };

/** Returns the values of the typed options. Throws UsageError for an invalid text. */
export function readOptions<Values extends object>(
  declared: OptionsOf<Values>,
  typed: TypedOptions,
  command?: string,
): Partial<Values> {
  const values: Partial<Values> = {};
  for (const key in declared) {
    const texts = typed.get(key);
    if (texts === undefined) continue;
    const option = declared[key];
    values[key] = orComplain(() => option.read(texts), {
      command,
      describe: (text) => `Option '${option.flags}' argument '${text}' is invalid.`,
    });
  }
  return values;
}

/** Returns the values of all arguments. Throws UsageError for too few or too many words, or for an invalid word. */
export function readArguments<Values extends object>(
  declared: Arguments<Values>,
  words: readonly string[],
  command: string,
): Values {
  checkNumber(declared, words, command);
  const values: Partial<Values> = {};
  let place = 0;
  for (const name in declared) {
    const argument = declared[name];
    const own = words.slice(place, argument.isRest ? undefined : place + 1);
    values[name] = orComplain(() => argument.read(own), {
      command,
      describe: (text) => `Command-argument value '${text}' is invalid for argument '${name}'.`,
    });
    place++;
  }
  // The loop has set the values of all names.
  return values as Values;
}

function checkNumber(
  declared: Readonly<Record<string, Argument>>,
  words: readonly string[],
  command: string,
): void {
  const entries = Object.entries(declared);
  const missing = entries.find(([, { isRequired }], place) => isRequired && place >= words.length);
  if (missing !== undefined) {
    throw new UsageError(`Missing required argument '${missing[0]}'`, command);
  }
  if (words.length <= entries.length || entries.at(-1)?.[1].isRest) return;
  const expected = entries.length === 1 ? "1 argument" : `${entries.length} arguments`;
  const got = `${words.length}: ${words.join(", ")}`;
  throw new UsageError(
    `Too many arguments for '${command}'. Expected ${expected} but got ${got}.`,
    command,
  );
}

function orComplain<Value>(
  read: () => Value,
  options: { command: string | undefined; describe: (text: string) => string },
): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new UsageError(`${options.describe(error.text)} ${error.message}`, options.command);
  }
}
