// The check of names that a custom tool or a server's tool shares with another tool, because a model's call would be
// ambiguous.
import { yieldsName } from "../vocabulary/builtin_tools.ts";

/** Returns an error sentence if `taken` contains the custom tool's name, else undefined. */
export function describeNameClash(name: string, taken: ReadonlySet<string>): string | undefined {
  return taken.has(name)
    ? `The custom tool "${name}" has the name of another tool: rename it`
    : undefined;
}

/**
 * Returns a sentence with a hint if one of the built-in tools gives up its name to this tool, else undefined. `kind` begins
 * the sentence, such as `The custom tool`.
 */
export function describeKeptName(
  kind: string,
  name: string,
  builtin: readonly string[],
): { message: string; hint: string } | undefined {
  if (!yieldsName(name) || !builtin.includes(name)) return undefined;
  return {
    message: `${kind} "${name}" has the name of a built-in tool, which this agent does not get`,
    hint: `to have both, rename it; \`tools: [-${name}]\` leaves the built-in tool out`,
  };
}
