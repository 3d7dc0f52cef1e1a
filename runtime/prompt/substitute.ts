// Variables and arguments in an agent's body: one pass, values are never looked at again.

const PLACEHOLDER =
  /\\\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d)(?!\d)/g;

/** The body with everything filled in, and what a person should know about it. */
export interface Substitution {
  text: string;
  /** Whether the arguments were used anywhere in the text. */
  usesArguments: boolean;
  /** Names that stayed literal because they hold a key of a model provider. */
  withheld: string[];
}

/**
 * Fills in `${VAR}`, `$ARGUMENTS` (all, one a line), `$ARGUMENTS[N]` and `$0`…`$9` (0-based; the last form only when
 * there are arguments, so that `$5.00` stays), and `\$` as a dollar. An undefined variable stays as written.
 */
export function substitute(
  body: string,
  options: {
    args: readonly string[];
    lookup: (name: string) => string | undefined;
    /** Names whose values a model must not see. */
    isWithheld: (name: string) => boolean;
  },
): Substitution {
  const { args } = options;
  const withheld = new Set<string>();
  let usesArguments = false;
  const text = body.replace(
    PLACEHOLDER,
    (whole, variable?: string, index?: string, digit?: string) => {
      if (whole === "\\$") return "$";
      if (variable !== undefined) {
        if (options.isWithheld(variable)) {
          withheld.add(variable);
          return whole;
        }
        return options.lookup(variable) ?? whole;
      }
      if (digit !== undefined && args.length === 0) return whole;
      usesArguments = true;
      const wanted = index ?? digit;
      return wanted === undefined ? args.join("\n") : args[Number(wanted)] ?? "";
    },
  );
  return { text, usesArguments, withheld: [...withheld] };
}
