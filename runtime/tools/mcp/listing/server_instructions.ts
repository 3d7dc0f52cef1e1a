// The instructions that an MCP server gives to models.
import { cutEnd } from "../../../../base/text/cut_text.ts";
import { toPlainText } from "../../../../base/text/plain_text.ts";
import { Redactor } from "../../../secrets/redactor.ts";
import type { Secret } from "../../../secrets/secret.ts";
import { redactText } from "../../../secrets/secret_marks.ts";

const MAX_CHARACTERS = 4_000;

/** Returns a server's instructions as plain text without the secrets of its entry, cut to the maximum length. */
export function toInstructions(text: string, secrets: readonly Secret[]): string {
  const beginning = new Redactor(() => secrets).beginningOf(text, MAX_CHARACTERS * 2);
  return cutEnd(toPlainText(redactText(beginning, secrets)).trim(), MAX_CHARACTERS);
}
