// Describes for the author of a custom tool why and where its file cannot be loaded. Forbidden imports get Inkling's own
// message, because Deno's message names flags that do not apply.

/** Matches Deno's messages for forbidden imports. Used if the import cannot be read from the file. */
const REFUSAL = /npm specifiers|import access|not a dependency/;
/** Matches the position in a file, in an error's message or in a line of its stack. */
const PLACE = /\bat (?:async )?(?:[^\n]*\()?(file:\/\/[^\s)]+):(\d+):(\d+)/g;
const SPECIFIER = /^(?:await\s+)?(?:import\s*\(\s*)?(["'`])(.{0,500}?)\1/;
const ALLOWED = /^(node:|file:|data:|\.{0,2}\/)/;

interface Place {
  url: string;
  line: number;
  column: number;
}

/** Matches Deno's message for a file that is missing or has a syntax error: a line, an excerpt, the position. */
const LOCATED = /^([^\n]*?)(?:\n[^]*)?\s+at (file:\/\/[^\s)]+):(\d+):(\d+)$/;

/**
 * The reason that a file cannot be loaded. `place` is the position, relative to the folder of the tool's file:
 * `lib/a.ts:3:27`.
 */
export interface LoadFailure {
  message: string;
  place?: string;
}

/**
 * Describes an error in the text of a file or of its imports, such as a syntax error. Returns undefined for another error.
 * `module` is the URL of the tool's file. Positions are searched in its folder, and are relative to it.
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

/**
 * Describes an error that a file's code threw while it was loaded, with the position of the throw. Returns undefined if no
 * position in the file's folder is known.
 */
export function describeThrown(error: unknown, module: string): LoadFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const folder = new URL(".", module).href;
  const place = placeIn(folder, error.stack ?? "");
  return place && { message: error.message, place: shown(place, folder) };
}

/** Returns the message for an import that is neither a `node:` module nor a file. Returns undefined for any other error. */
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
    // The file was deleted or changed after it was loaded. The message then does not contain the import.
    return undefined;
  }
  return SPECIFIER.exec(text.split("\n")[line - 1]?.slice(column - 1) ?? "")?.[2];
}

function shown({ url, line, column }: Place, folder: string): string {
  return `${decodeURI(url.slice(folder.length))}:${line}:${column}`;
}
