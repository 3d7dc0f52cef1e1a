// The rule that a custom tool must not have the name of another tool, because a model's call would be ambiguous.

/** Returns a sentence if a custom tool's name is already taken, else undefined. */
export function describeNameClash(name: string, taken: ReadonlySet<string>): string | undefined {
  return taken.has(name)
    ? `The custom tool "${name}" has the name of another tool: rename it`
    : undefined;
}
