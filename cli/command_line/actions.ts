// Commands whose first argument is an action: `mcp add`, `mcp list`. Each action has words and options of its own.
import { UsageError } from "./usage_error.ts";

/** The words and options of one action. */
export interface ActionForm {
  /** Arguments that must be there. */
  words: readonly string[];
  /** Whether words may follow them. */
  hasRest?: boolean;
  /** Options by their keys. */
  options: readonly string[];
}

/** Checks what was typed against an action's form. Throws UsageError for what is missing, and for what has no effect. */
export function checkAction(
  command: string,
  form: ActionForm & { action: string },
  typed: { words: Readonly<Record<string, unknown>>; options: object },
): void {
  const { action, hasRest = false } = form;
  for (const [name, value] of Object.entries(typed.words)) {
    const isTyped = Array.isArray(value) ? value.length > 0 : value !== undefined;
    if (form.words.includes(name)) {
      if (!isTyped) {
        throw new UsageError(`"${command} ${action}" needs the argument '${name}'`, command);
      }
    } else if (isTyped && !(hasRest && Array.isArray(value))) {
      throw new UsageError(`"${command} ${action}" takes no argument '${name}'`, command);
    }
  }
  const option = Object.keys(typed.options).find((key) => !form.options.includes(key));
  if (option === undefined) return;
  throw new UsageError(`"${command} ${action}" takes no option '--${option}'`, command);
}
