// Finds the tools that a loaded module exports, and their names. The code runs in the worker. The exported values are not
// checked.

/** A tool that a module exports, with its unchecked declaration. */
type ExportedTool = Record<string, unknown> & { run(args: unknown, context: unknown): unknown };

/**
 * Returns the tools of a module: each exported object with a function `run`, and each such object in an exported array.
 * `stem` is the name of a default export.
 */
export function exportedTools(
  exports: Readonly<Record<string, unknown>>,
  stem: string,
): { name: string; tool: ExportedTool }[] {
  const tools: { name: string; tool: ExportedTool }[] = [];
  // The tools that were found. A tool that is exported both by name and as default counts once.
  const seen = new Set<unknown>();
  const add = (value: unknown, fallback: string) => {
    if (!isToolLike(value) || seen.has(value)) return;
    seen.add(value);
    const { name = fallback } = value;
    tools.push({ name: String(name), tool: value });
  };
  // Named exports come first, because their names are more descriptive than the file's.
  const entries = Object.entries(exports).sort(([a], [b]) =>
    Number(a === "default") - Number(b === "default")
  );
  for (const [key, value] of entries) {
    const fallback = key === "default" ? stem : key;
    if (Array.isArray(value)) { for (const one of value) add(one, fallback); }
    else add(value, fallback);
  }
  return tools;
}

function isToolLike(value: unknown): value is ExportedTool {
  return typeof value === "object" && value !== null && "run" in value &&
    typeof value.run === "function";
}
