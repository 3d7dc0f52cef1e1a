// The rule that a custom tool must not have the name of another tool: which of the two a model means would be unknown.

/** Why a custom tool of this name cannot be offered beside the tools whose names are taken, as a sentence; undefined when it can. */
export function describeNameClash(name: string, taken: ReadonlySet<string>): string | undefined {
  return taken.has(name)
    ? `The custom tool "${name}" has the name of another tool; give it another one`
    : undefined;
}
