// What a server's tool says of its failure, as the text a model reads: within bounds, and without the server's own secrets.
import { Redactor } from "../../secrets/redactor.ts";
import type { Secret } from "../../secrets/secret.ts";

/** In UTF-16 code units, which take three bytes at most: what is kept here fits into a result. */
const MAX_CHARACTERS = 32_000;

/**
 * The text, or its beginning with a line that reports the cut. `secrets` are those of the server's entry, which nobody else
 * knows; `redactor` knows the others, and nothing of them stays where the text is cut.
 */
export function toFailureText(
  text: string,
  { secrets, redactor }: { secrets: readonly Secret[]; redactor: Redactor },
): string {
  const own = new Redactor(() => secrets);
  // Cut first: what is not shown needs no search.
  const beginning = own.beginningOf(text, MAX_CHARACTERS);
  const shown = own.redact(beginning);
  if (beginning.length === text.length) return shown || "The tool failed without an error message";
  return `${
    redactor.withoutTornEnd(shown)
  }\n[The message is cut here: it has ${text.length} characters.]`;
}
