// Formats the error text of an MCP tool for the model: limits its size, and removes the secrets of the server's entry.
import { Redactor } from "../../secrets/redactor.ts";
import type { Secret } from "../../secrets/secret.ts";

/**
 * The maximum length in UTF-16 code units. Each takes at most three bytes in UTF-8, so the text fits into a tool's result.
 */
const MAX_CHARACTERS = 32_000;

/**
 * Returns the text without the server's `secrets`. Cuts a long text and appends a line that reports the cut. `redactor`
 * knows all other secrets, and removes a secret that the cut would split.
 */
export function toFailureText(
  text: string,
  { secrets, redactor }: { secrets: readonly Secret[]; redactor: Redactor },
): string {
  const own = new Redactor(() => secrets);
  // The text is cut before it is redacted, so that the part that is left out is not searched.
  const beginning = own.beginningOf(text, MAX_CHARACTERS);
  const shown = own.redact(beginning);
  if (beginning.length === text.length) return shown || "The tool failed without an error message";
  return `${
    redactor.trimPartialSecret(shown)
  }\n[The message is cut here: it has ${text.length} characters.]`;
}
