// Replaces variables and arguments in the body of an agent or a skill, in one pass, so that inserted values are not
// expanded.
import { RuntimeError } from "../errors.ts";
import { formatCount } from "./plural.ts";

// A digit with more of a number after it, as in $10, $5.00 or $1,000, is an amount of money and no argument.
const PLACEHOLDER =
  /\\\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d)(?!\d|\.\d|,\d{3}(?!\d))/g;

/**
 * The maximum length of the text, which is more than any model accepts. Without a limit, a short text that repeats a long
 * value could fill the memory.
 */
const MAX_CHARACTERS = 8_000_000;

/** Thrown if the inserted values make a text too long for any model. */
export class TextTooLong extends RuntimeError {
  readonly code = "invalid";

  constructor() {
    super(
      `The text is longer than ${
        formatCount(MAX_CHARACTERS)
      } characters once its variables and arguments ` +
        "are filled in: use long values fewer times, or let the agent read them from a file",
    );
  }
}

/** Replaces all matches as replaceAll() does, but throws TextTooLong before the text exceeds the limit. */
export function fillIn(
  text: string,
  pattern: RegExp,
  valueOf: (whole: string, ...groups: (string | undefined)[]) => string,
): string {
  let length = text.length;
  return text.replaceAll(pattern, (whole, ...groups) => {
    const value = valueOf(whole, ...groups);
    length += value.length - whole.length;
    if (length > MAX_CHARACTERS) throw new TextTooLong();
    return value;
  });
}

/** The text after a substitution, and details for messages. */
export interface Substitution {
  text: string;
  /** True if the text refers to an argument. */
  usesArguments: boolean;
  /** The names of variables that were not replaced, because their values are keys of model providers. */
  withheld: string[];
}

/**
 * Replaces `${VAR}`, `$ARGUMENTS` (all arguments), `$ARGUMENTS[N]` and `$0`…`$9` (counted from 0), and turns `\$` into a
 * dollar sign. An undefined variable stays as written. `$5` without such an argument stays, because it may be a price;
 * `$ARGUMENTS[5]` is never a price and becomes empty. Throws TextTooLong.
 */
export function substitute(
  body: string,
  options: {
    args: readonly string[];
    /** The value of `$ARGUMENTS`; absent: all arguments, one on each line. */
    allArguments?: string;
    lookup: (name: string) => string | undefined;
    /** Returns true for a variable whose value a model must not see. */
    isWithheld: (name: string) => boolean;
  },
): Substitution {
  const { args } = options;
  const withheld = new Set<string>();
  let usesArguments = false;
  const text = fillIn(
    body,
    PLACEHOLDER,
    (whole, variable, index, digit) => {
      if (whole === "\\$") return "$";
      if (variable !== undefined) {
        if (options.isWithheld(variable)) {
          withheld.add(variable);
          return whole;
        }
        return options.lookup(variable) ?? whole;
      }
      const wanted = index ?? digit;
      const value = wanted === undefined
        ? options.allArguments ?? args.join("\n")
        : args[Number(wanted)];
      usesArguments ||= value !== undefined && args.length > 0;
      return value ?? (digit === undefined ? "" : whole);
    },
  );
  return { text, usesArguments, withheld: [...withheld] };
}
