// Declares the positional arguments of commands.
import type { ValueType } from "./value_type.ts";

/** A positional argument with a value of type `Value`. Its name is its key in the command's declaration. */
export interface Argument<Value = unknown> {
  readonly description: string;
  readonly isRequired: boolean;
  /** True if the argument takes all remaining words. Allowed only for the last argument of a command. */
  readonly isRest: boolean;
  readonly type: ValueType;
  /**
   * Parses the words of the argument and returns its value. `words` contains at most one word, unless `isRest` is true.
   * Throws InvalidValue.
   */
  read(words: readonly string[]): Value;
}

/** Declares a required argument, which the help prints as `<name>`. */
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

/** Declares an optional argument, which the help prints as `[agent]`. */
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

/** Declares an argument that takes all remaining words. The help prints it as `[args...]`. */
export function rest<Value>(description: string, type: ValueType<Value>): Argument<Value[]> {
  return {
    description,
    isRequired: false,
    isRest: true,
    type,
    read: (words) => words.map((word) => type.read(word)),
  };
}
