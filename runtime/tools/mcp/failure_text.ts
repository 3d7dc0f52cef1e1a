// The error text of a server's tool for the model, with a size limit and without the server's own secrets.
import { Redactor } from "../../secrets/redactor.ts";
import type { Secret } from "../../secrets/secret.ts";

/** In UTF-16 code units of at most three bytes, so the text fits into a result. */
const MAX_CHARACTERS = 32_000;

/**
 * Returns the text, or its beginning with a line that reports the cut. `secrets` are those of the server's entry;
 * `redactor` knows all others, and removes a secret that the cut would split.
 */
export function toFailureText(
  text: string,
  { secrets, redactor }: { secrets: readonly Secret[]; redactor: Redactor },
): string {
  const own = new Redactor(() => secrets);
  // Cut first: the omitted part needs no search.
  const beginning = own.beginningOf(text, MAX_CHARACTERS);
  const shown = own.redact(beginning);
  if (beginning.length === text.length) return shown || "The tool failed without an error message";
  return `${
    redactor.trimPartialSecret(shown)
  }\n[The message is cut here: it has ${text.length} characters.]`;
}
