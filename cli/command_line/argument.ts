// The positional arguments of a command.
import type { ValueType } from "./value_type.ts";

/** An argument with a value of type `Value`. Its name is its key in the declaration. */
export interface Argument<Value = unknown> {
  readonly description: string;
  readonly isRequired: boolean;
  /** True if it takes all remaining words; allowed for the last argument only. */
  readonly isRest: boolean;
  readonly type: ValueType;
  /** Parses its words: at most one, unless it is the rest. Throws InvalidValue. */
  read(words: readonly string[]): Value;
}

/** Declares a required argument: `<name>`. */
export function required<Value>(description: string, type: ValueType<Value>): Argument<Value> {
  return {
    description,
    isRequired: true,
    isRest: false,
    type,
    read([word]) {
      if (word === undefined) throw new TypeError("A required argument was read without a word");
      return type.read(word);
    },
  };
}

/** Declares an optional argument: `[agent]`. */
export function optional<Value>(
  description: string,
  type: ValueType<Value>,
): Argument<Value | undefined> {
  return {
    description,
    isRequired: false,
    isRest: false,
    type,
    read: ([word]) => word === undefined ? undefined : type.read(word),
  };
}

/** Declares an argument that takes all remaining words: `[args...]`. */
export function rest<Value>(description: string, type: ValueType<Value>): Argument<Value[]> {
  return {
    description,
    isRequired: false,
    isRest: true,
    type,
    read: (words) => words.map((word) => type.read(word)),
  };
}
