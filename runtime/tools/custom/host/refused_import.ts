// Imports that no custom tool may have, as a sentence for its author: Deno's own text names flags that nobody here gave.

/** Deno's texts for them, needed where the import itself cannot be read. */
const REFUSAL = /npm specifiers|import access|not a dependency/;
/** Where a module was loaded, in the error's message, or in a frame of its stack. */
const PLACE = /\bat (?:async )?(?:[^\n]*\()?(file:\/\/[^\s)]+):(\d+):(\d+)/g;
const SPECIFIER = /^(?:await\s+)?(?:import\s*\(\s*)?(["'`])(.{0,500}?)\1/;
const ALLOWED = /^(node:|file:|data:|\.{0,2}\/)/;

interface Place {
  url: string;
  line: number;
  column: number;
}

/**
 * What to tell of an import that is neither a `node:` module nor a file; undefined for every other error. `module` is the
 * URL of the tool's file: places are shown relative to its folder, and looked for only there.
 */
export function describeRefusedImport(error: unknown, module: string): string | undefined {
  const isLoadError = error instanceof TypeError && "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND";
  if (!isLoadError) return undefined;
  const folder = new URL(".", module).href;
  const place = placeIn(folder, error.stack ?? "");
  const specifier = place === undefined ? undefined : specifierAt(place);
  const isRefused = specifier === undefined
    ? REFUSAL.test(error.message)
    : !ALLOWED.test(specifier);
  if (!isRefused) return undefined;
  const what = specifier === undefined ? "a package" : `"${specifier}"`;
  return `Cannot import ${what}${
    place === undefined ? "" : ` (${shown(place, folder)})`
  }: a custom tool may ` +
    "import only node: modules and, by relative path, files of the tools folder";
}

function placeIn(folder: string, stack: string): Place | undefined {
  for (const [, url = "", line, column] of stack.matchAll(PLACE)) {
    if (url.startsWith(folder)) return { url, line: Number(line), column: Number(column) };
  }
  return undefined;
}

function specifierAt({ url, line, column }: Place): string | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(new URL(url));
  } catch {
    // Gone, or changed into something else, since it was loaded: the sentence then does without.
    return undefined;
  }
  return SPECIFIER.exec(text.split("\n")[line - 1]?.slice(column - 1) ?? "")?.[2];
}

function shown({ url, line, column }: Place, folder: string): string {
  return `${decodeURI(url.slice(folder.length))}:${line}:${column}`;
}
