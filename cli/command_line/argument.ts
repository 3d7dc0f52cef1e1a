// Arguments as a command declares them: words that count by their place.
import type { ValueType } from "./value_type.ts";

/** An argument whose value is a `Value`. Its name is the key under which it is declared. */
export interface Argument<Value = unknown> {
  readonly description: string;
  readonly isRequired: boolean;
  /** Whether it takes all words that are left; only the last argument may. */
  readonly isRest: boolean;
  readonly type: ValueType;
  /** Its value, given the words in its place: one at most, but for the rest. Throws InvalidValue. */
  read(words: readonly string[]): Value;
}

/** A word that must be there: `<name>`. */
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

/** A word that may be left out: `[agent]`. */
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

/** All words that are left: `[args...]`. */
export function rest<Value>(description: string, type: ValueType<Value>): Argument<Value[]> {
  return {
    description,
    isRequired: false,
    isRest: true,
    type,
    read: (words) => words.map((word) => type.read(word)),
  };
}
