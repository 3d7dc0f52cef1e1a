// Text that somebody else wrote, on its way into a prompt: it stays data, in its place and within bounds.
import { toPlainLine } from "../../base/text/plain_text.ts";
import { escapeControls } from "../../base/text/unseen_characters.ts";

/**
 * A text as a JSON string that fits on one line and closes no tag: whoever decodes it has the exact text. For names
 * that must be repeated as they are.
 */
export function quoteText(text: string): string {
  return escapeControls(JSON.stringify(text)).replaceAll("<", "\\u003c");
}

/** The tags of a prompt, in every way that a reader could take for one. */
const OWN_TAG = /<(?=\s*\/?\s*(?:environment|task|skill-(?:context|breadcrumb))(?![\w-]))/gi;

/** The text as one line of at most `maxCharacters`, as it is written but for our tags: it opens and closes none. */
export function toPromptLine(text: string, maxCharacters: number): string {
  return toPlainLine(text, maxCharacters).replaceAll(OWN_TAG, "&lt;");
}
