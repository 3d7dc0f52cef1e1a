// Declares the options of commands: their names, and the parsing of their values.
import { TEXT, type ValueType } from "./value_type.ts";

/** An option of a command, with a value of type `Value`. */
export interface Option<Value = unknown> {
  /** The option in help and error messages, such as `-n, --last <count>`. */
  readonly flags: string;
  /** The short name, such as `-n`. */
  readonly short: string | undefined;
  /** The long name, such as `--last`. */
  readonly long: string;
  readonly description: string;
  /** The kind of text that follows the option. With `text-or-nothing`, a word that looks like an option is not its text. */
  readonly takes: "nothing" | "text" | "text-or-nothing";
  /** The type of the text; undefined if the option has no text. */
  readonly type: ValueType | undefined;
  /**
   * Parses the texts of the option and returns its value. `texts` has a text for each time that the option was typed.
   * Throws InvalidValue.
   */
  read(texts: readonly string[]): Value;
}

/** The parsed values of options by key. The key of an option that was not typed is absent. */
export type OptionValues<Options> = {
  [Key in keyof Options]?: Options[Key] extends Option<infer Value> ? Value : never;
};

/** Declares an option without a text, such as `-d, --detach`. */
export function flag(flags: string, description: string): Option<true> {
  return { ...namesOf(flags), description, takes: "nothing", type: undefined, read: () => true };
}

/**
 * Declares an option with a text, such as `--context <text>`; without `type` any text is valid. If the user repeats the
 * option, the last text counts.
 */
export function option(flags: string, description: string): Option<string>;
export function option<Value>(
  flags: string,
  description: string,
  type: ValueType<Value>,
): Option<Value>;
export function option(flags: string, description: string, type: ValueType = TEXT): Option {
  return {
    ...namesOf(flags),
    description,
    takes: "text",
    type,
    read(texts) {
      const [first, ...others] = texts.map((text) => type.read(text));
      if (first === undefined) throw new TypeError(`${flags} was read without a text`);
      return others.at(-1) ?? first;
    },
  };
}

/** Declares an option with a text that the user may repeat, such as `--path <path>`. Its value is the list of texts. */
export function repeatable<Value>(
  flags: string,
  description: string,
  type: ValueType<Value>,
): Option<Value[]> {
  return {
    ...namesOf(flags),
    description,
    takes: "text",
    type,
    read: (texts) => texts.map((text) => type.read(text)),
  };
}

/** Declares an option whose text may be omitted, such as `--print-unit [kind]`. Without a text its value is true. */
export function flagOrOption<Value>(
  flags: string,
  description: string,
  type: ValueType<Value>,
): Option<Value | true> {
  return {
    ...namesOf(flags),
    description,
    takes: "text-or-nothing",
    type,
    read: (texts) => texts.map((text) => type.read(text)).at(-1) ?? true,
  };
}

function namesOf(flags: string): Pick<Option, "flags" | "short" | "long"> {
  const [, short, long] = /^(?:(-\S), )?(--[^\s=]+)/.exec(flags) ?? [];
  if (long === undefined) throw new TypeError(`An option without a long name: ${flags}`);
  return { flags, short, long };
}

/** The option --json, which most commands have. */
export const JSON_FLAG = { json: flag("--json", "Print JSON") };

/** The option `--no-browser` of the commands that sign in. */
export const NO_BROWSER_FLAG = {
  noBrowser: flag(
    "--no-browser",
    "login: print the address, and read the address to which the browser was redirected",
  ),
};
