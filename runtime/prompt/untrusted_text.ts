// Text that somebody else wrote, on its way into a prompt: it stays data, in its place and within bounds.
import { toPlainLine } from "../plain_text.ts";

/** What ends a line or turns the direction of writing somewhere on the way, and what is no character at all. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text as a JSON string that fits on one line and closes no tag: whoever decodes it has the exact text. For names
 * that must be repeated as they are.
 */
export function quoteText(text: string): string {
  return escapeUnseen(JSON.stringify(text)).replaceAll("<", "\\u003c");
}

/** The text with everything unseen in it as `\n`, `\t` or `\uXXXX`; ordinary text stays as it is. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The text as one line of at most `maxCharacters` that closes no tag. For descriptions: only their meaning counts. */
export function toPromptLine(text: string, maxCharacters: number): string {
  return toPlainLine(text, maxCharacters).replaceAll("<", "&lt;");
}
