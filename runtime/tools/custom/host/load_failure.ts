// Why a custom tool's file cannot be loaded, for its author: what is wrong and where. Imports that no tool may have get a
// sentence of ours: Deno's own text names flags that nobody here gave.

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

/** Deno's message for a file that cannot be read as code, or is not there: a line, an excerpt, the place. */
const LOCATED = /^([^\n]*?)(?:\n[^]*)?\s+at (file:\/\/[^\s)]+):(\d+):(\d+)$/;

/** What is wrong with a file, and where: `lib/a.ts:3:27`, relative to the folder of the tool's file. */
export interface LoadFailure {
  message: string;
  place?: string;
}

/**
 * What to tell of an error that a file or one of its imports caused by what stands in it; undefined for another error.
 * `module` is the URL of the tool's file: places are shown relative to its folder, and looked for only there.
 */
export function describeLoadFailure(error: unknown, module: string): LoadFailure | undefined {
  const refused = describeRefusedImport(error, module);
  if (refused !== undefined) return { message: refused };
  const isOfLoader = error instanceof SyntaxError ||
    error instanceof TypeError && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  if (!isOfLoader) return undefined;
  const [, message, url = "", line, column] = LOCATED.exec(error.message) ?? [];
  const folder = new URL(".", module).href;
  if (message === undefined || !url.startsWith(folder)) return undefined;
  return { message, place: shown({ url, line: Number(line), column: Number(column) }, folder) };
}

/** The same for what the code of a file threw while it was loaded: the place is where it did. */
export function describeThrown(error: unknown, module: string): LoadFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const folder = new URL(".", module).href;
  const place = placeIn(folder, error.stack ?? "");
  return place && { message: error.message, place: shown(place, folder) };
}

/** The sentence for an import that is neither a `node:` module nor a file; undefined for every other error. */
function describeRefusedImport(error: unknown, module: string): string | undefined {
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
