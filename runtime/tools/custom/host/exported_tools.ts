// Finds the tools that a loaded module exports, and their names. Runs in the worker, on unchecked values.

/** A tool as its module exports it. */
export interface ExportedTool {
  name: string;
  declaration: Record<string, unknown>;
  run(args: unknown, context: unknown): unknown;
}

/**
 * Returns the tools of a module: each exported object with a `run`, and each in an exported array. `stem` names a default
 * export.
 */
export function exportedTools(
  exports: Readonly<Record<string, unknown>>,
  stem: string,
): ExportedTool[] {
  const tools: ExportedTool[] = [];
  // A tool that is exported by name and as default counts once.
  const seen = new Set<unknown>();
  const add = (value: unknown, fallback: string) => {
    if (!isToolLike(value) || seen.has(value)) return;
    seen.add(value);
    const { name = fallback } = value;
    tools.push({
      name: String(name),
      declaration: value,
      run: (args, context) => value.run(args, context),
    });
  };
  // Named exports first, because their names are more descriptive.
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

function isToolLike(
  value: unknown,
): value is Record<string, unknown> & { run(args: unknown, context: unknown): unknown } {
  return typeof value === "object" && value !== null && "run" in value &&
    typeof value.run === "function";
}
