// Options as a command declares them: their names, what they take, and what becomes of it.
import type { ValueType } from "./value_type.ts";

/** An option whose value is a `Value`. */
export interface Option<Value = unknown> {
  /** As help and complaints show it: `-n, --last <count>`. */
  readonly flags: string;
  /** `-n`. */
  readonly short: string | undefined;
  /** `--last`. */
  readonly long: string;
  readonly description: string;
  /** What may follow it; `text-or-nothing` takes no word that looks like an option. */
  readonly takes: "nothing" | "text" | "text-or-nothing";
  /** What the text is; undefined for an option that takes none. */
  readonly type: ValueType | undefined;
  /** The value of an option that was typed, given the texts that it took. Throws InvalidValue. */
  read(texts: readonly string[]): Value;
}

/** The values of options; those that were not typed are absent. */
export type OptionValues<Options> = {
  [Key in keyof Options]?: Options[Key] extends Option<infer Value> ? Value : never;
};

/** An option that takes nothing: `-d, --detach`. */
export function flag(flags: string, description: string): Option<true> {
  return { ...namesOf(flags), description, takes: "nothing", type: undefined, read: () => true };
}

/** An option that takes a text: `--context <text>`. The last one counts. */
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

/** An option that takes a text and may be typed again: `--path <path>`. All of them count. */
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

/** An option that may take a text: `--print-unit [kind]`; true without one. */
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

/** The option of most commands that show something. */
export const JSON_FLAG = { json: flag("--json", "Print JSON") };
