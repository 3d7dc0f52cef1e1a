// The options of a command: their names, their values and the parsing of these.
import type { ValueType } from "./value_type.ts";

/** An option with a value of type `Value`. */
export interface Option<Value = unknown> {
  /** The text in help and error messages: `-n, --last <count>`. */
  readonly flags: string;
  /** `-n`. */
  readonly short: string | undefined;
  /** `--last`. */
  readonly long: string;
  readonly description: string;
  /** The word after the option; `text-or-nothing` does not take a word that looks like an option. */
  readonly takes: "nothing" | "text" | "text-or-nothing";
  /** The type of the text; undefined if the option takes none. */
  readonly type: ValueType | undefined;
  /** Parses the texts of the option, one for each time that it was typed. Throws InvalidValue. */
  read(texts: readonly string[]): Value;
}

/** The values of options; absent for those that were not typed. */
export type OptionValues<Options> = {
  [Key in keyof Options]?: Options[Key] extends Option<infer Value> ? Value : never;
};

/** Declares an option without a text: `-d, --detach`. */
export function flag(flags: string, description: string): Option<true> {
  return { ...namesOf(flags), description, takes: "nothing", type: undefined, read: () => true };
}

/** Declares an option with a text: `--context <text>`. If it is repeated, the last one counts. */
export function option<Value>(
  flags: string,
  description: string,
  type: ValueType<Value>,
): Option<Value> {
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

/** Declares an option with a text that may be repeated: `--path <path>`. */
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

/** Declares an option with an optional text: `--print-unit [kind]`. Its value is true without the text. */
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

/** The --json option of most commands. */
export const JSON_FLAG = { json: flag("--json", "Print JSON") };
