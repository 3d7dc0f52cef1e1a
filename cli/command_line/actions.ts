// Checks the words and options of commands whose first argument is an action, such as `mcp add`. Each action accepts
// different arguments and options.
import { UsageError } from "./usage_error.ts";

/** The arguments and options that an action accepts. */
type ActionForm = {
  /** The names of the required arguments. */
  words: readonly string[];
  /** The names of the optional arguments. */
  more?: readonly string[];
  /** True if more words may follow the required arguments. */
  hasRest?: boolean;
  /** The keys of the accepted options. */
  options: readonly string[];
};

/** Throws UsageError if a required argument is missing, or if the action does not accept a typed argument or option. */
export function checkAction<Action extends string>(
  command: string,
  forms: Readonly<Record<Action, ActionForm>>,
  { action, ...words }: Readonly<{ action: Action } & Record<string, unknown>>,
  options: object,
): void {
  const form = forms[action];
  for (const [name, value] of Object.entries(words)) {
    const isTyped = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";
    if (form.words.includes(name)) {
      if (!isTyped) {
        throw new UsageError(`"${command} ${action}" needs the argument '${name}'`, command);
      }
    } else if (isTyped && !form.more?.includes(name) && !(form.hasRest && Array.isArray(value))) {
      throw new UsageError(`"${command} ${action}" takes no argument '${name}'`, command);
    }
  }
  const option = Object.keys(options).find((key) => !form.options.includes(key));
  if (option === undefined) return;
  throw new UsageError(`"${command} ${action}" takes no option '--${option}'`, command);
}
