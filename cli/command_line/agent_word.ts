// Formats an agent's id for a command line that the user copies.
import { looksLikeOption } from "./scanner.ts";

/** Returns the id as an argument: in quotes if it contains white space, and after `--` if it begins with a dash. */
export function toAgentWord(id: string): string {
  const word = /\s/.test(id) ? `"${id}"` : id;
  return looksLikeOption(id) ? `-- ${word}` : word;
}
