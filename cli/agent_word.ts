// An agent's id in a command line that somebody is to copy.
import { looksLikeOption } from "./command_line/scanner.ts";

/** The id as it is typed after a command's name: in quotes where it holds spaces, after `--` where it looks like an option. */
export function toAgentWord(id: string): string {
  const word = /\s/.test(id) ? `"${id}"` : id;
  return looksLikeOption(id) ? `-- ${word}` : word;
}
