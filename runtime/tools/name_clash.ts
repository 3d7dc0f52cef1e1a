// The check that a custom tool does not have the name of another tool, because a model's call would be ambiguous.

/** Returns an error sentence if `taken` contains the custom tool's name, else undefined. */
export function describeNameClash(name: string, taken: ReadonlySet<string>): string | undefined {
  return taken.has(name)
    ? `The custom tool "${name}" has the name of another tool: rename it`
    : undefined;
}
