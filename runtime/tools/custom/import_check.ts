// Checks the imports of a tool's file before an executable without a sandbox loads it. The module loader of an executable
// checks no permission. So an import could read any file of the machine as text, and the tool's worker cannot prevent that.
//
// Decision: the text is scanned and not parsed. The two relevant words, `import` and `from`, have only one spelling, and
// the error for a harmless file contains the reason (rejected: a bundler, which an executable does not contain; refusing
// all tools).
import { ignoreMissing } from "../../../base/files/missing.ts";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { knownRealPath } from "../../../base/files/known_real_path.ts";
import { isWithin } from "../files/place.ts";

const MAX_FILES = 200;
const MAX_BYTES = 4 * 1024 * 1024;

/** The modules of Node that neither load code nor start threads. */
const NODE_MODULES: ReadonlySet<string> = new Set([
  ...["assert", "assert/strict", "async_hooks", "buffer", "child_process", "console", "crypto"],
  ...["dgram", "dns"],
  ...["dns/promises", "events", "fs", "fs/promises", "http", "http2", "https", "net", "os", "path"],
  ...["path/posix", "path/win32", "perf_hooks", "punycode", "querystring", "readline", "sqlite"],
  ...["stream", "stream/promises", "stream/web", "string_decoder", "timers", "timers/promises"],
  ...["tls", "tty", "url", "util", "util/types", "zlib"],
]);

const GAP = String.raw`(?:\s|\/\*(?:(?!\*\/)[\s\S])*\*\/|\/\/[^\n\r\u2028\u2029]*)*`;
const TEXT = String.raw`"[^"\n\r]*"|'[^'\n\r]*'`;
/**
 * Matches the word `import`. A lookahead matches the text that follows: a string, a call with a string, `.meta`, or
 * anything else. It is a lookahead because a word in a comment must not consume the next word.
 */
const IMPORT = new RegExp(
  String
    .raw`(?<![\w$])import(?=${GAP}(?:(${TEXT})|\(${GAP}(${TEXT})${GAP}[,)]|(\.${GAP}meta\b)|([(.])))`,
  "g",
);
const FROM = new RegExp(String.raw`(?<![\w$])from(?=${GAP}(${TEXT}))`, "g");
const DEFAULT = /(?<![\w$])import\s+[A-Za-z_$][\w$]*\s*$/;
const REQUIRE = new RegExp(String.raw`(?<![\w$])require(?=${GAP}\()`);

/**
 * Returns the reason that a tool's file must not be loaded because of its imports or those of an imported file, as a
 * clause. Returns undefined if it may be loaded.
 */
export async function findForbiddenImport(
  file: string,
  toolsDir: string,
): Promise<string | undefined> {
  const folder = knownRealPath(toolsDir);
  const seen = new Set<string>([knownRealPath(file)]);
  for (const path of seen) {
    if (seen.size > MAX_FILES) return `it imports more than ${MAX_FILES} files`;
    const bytes = await readWholeFile(path, { maxBytes: MAX_BYTES }).catch(ignoreMissing);
    // A missing file has no imports to check. The module loader reports it later.
    if (bytes === undefined) continue;
    const found = specifiersOf(new TextDecoder().decode(bytes));
    const problem = typeof found === "string"
      ? found
      : found.map((one) => follow(one, { path, folder, seen })).find((one) => one);
    if (problem !== undefined) return `${path}: ${problem}; ${REASON}`;
  }
  return undefined;
}

const REASON =
  "in an executable without a sandbox an import could read any file of this machine. " +
  "Install bubblewrap, or Inkling from npm";

/** Returns the specifiers of the imports in a file's text, or the reason that the file must not be loaded. */
function specifiersOf(text: string): string[] | string {
  if (REQUIRE.test(text)) return "it calls require";
  const specifiers: string[] = [];
  for (const [, direct, called, meta, other] of text.matchAll(IMPORT)) {
    if (meta !== undefined) continue;
    if (other !== undefined) return "it imports by an expression";
    specifiers.push((direct ?? called ?? "").slice(1, -1));
  }
  for (const { 1: named = "", index } of text.matchAll(FROM)) {
    const specifier = named.slice(1, -1);
    // The default export of `process` is the global object `process`, in which closeLoader() closes the functions that load
    // code.
    const isGlobal = /^(node:)?process$/.test(specifier) && DEFAULT.test(text.slice(0, index));
    if (!isGlobal) specifiers.push(specifier);
  }
  return specifiers;
}

/**
 * Returns the reason that an import is forbidden, or undefined. Adds an allowed file to `seen`. Allows imports of packages
 * and from the network, because Deno itself refuses them.
 */
function follow(
  specifier: string,
  { path, folder, seen }: { path: string; folder: string; seen: Set<string> },
): string | undefined {
  const refused = `it imports ${JSON.stringify(specifier)}`;
  if (specifier.includes("\\")) return refused;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(specifier)?.[1]?.toLowerCase();
  if (scheme === "node") {
    return NODE_MODULES.has(specifier.slice("node:".length)) ? undefined : refused;
  }
  if (scheme === "npm" || scheme === "jsr" || scheme === "https") return undefined;
  if (scheme !== undefined && scheme !== "file") return refused;
  const isPath = scheme === "file" || /^\.{0,2}\//.test(specifier);
  // A specifier without a path names a module of Node or is invalid.
  if (!isPath) return NODE_MODULES.has(specifier) ? undefined : refused;
  const url = URL.canParse(specifier, pathToFileURL(path).href)
    ? new URL(specifier, pathToFileURL(path))
    : undefined;
  // An encoded slash is never needed, but could hide another path.
  if (url === undefined || url.host !== "" || /%2f|%5c/i.test(url.pathname)) return refused;
  const target = knownRealPath(fileURLToPath(url));
  // The imports of a WebAssembly module are in binary form, so they cannot be checked here.
  if (!isWithin(target, folder) || target.endsWith(".wasm")) return refused;
  seen.add(target);
  return undefined;
}
