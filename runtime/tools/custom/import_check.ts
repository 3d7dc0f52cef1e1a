// Checks the imports of a tool's file in an executable without a sandbox. There the module loader checks no permission, so
// an import could read any file of the machine as text, and the worker around a tool cannot prevent that.
//
// Decision: scanning the text instead of parsing it, because the two relevant words, `import` and `from`, have only one
// spelling, and the refusal of a harmless file says why (rejected: a bundler, which an executable does not have; refusing
// all tools).
import { fileURLToPath, pathToFileURL } from "node:url";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { knownRealPath } from "../../../base/files/known_real_path.ts";
import { isWithin } from "../files/place.ts";

const MAX_FILES = 200;
const MAX_BYTES = 4 * 1024 * 1024;

/** Modules of Node that neither load code nor start threads. */
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
 * Matches the word, and as lookahead a text, a call with one text, `.meta`, or the beginning of anything else. A lookahead,
 * because a word in a comment must not consume the next one.
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
 * Returns the reason that a tool's file, or a file that it imports, must not be loaded with an unchecked loader, as the end
 * of a sentence.
 */
export async function findForbiddenImport(
  file: string,
  toolsDir: string,
): Promise<string | undefined> {
  const folder = knownRealPath(toolsDir);
  const seen = new Set<string>([knownRealPath(file)]);
  for (const path of seen) {
    if (seen.size > MAX_FILES) return `it imports more than ${MAX_FILES} files`;
    const text = await textOf(path);
    // The loader reports a missing file itself.
    if (text === undefined) continue;
    const found = specifiersOf(text);
    const problem = "problem" in found
      ? found
      : found.specifiers.map((one) => follow(one, { path, folder, seen })).find((one) => one);
    if (problem !== undefined) return `${path}: ${problem.problem}; ${REASON}`;
  }
  return undefined;
}

const REASON =
  "in an executable without a sandbox an import could read any file of this machine. " +
  "Install bubblewrap, or Inkling from npm";

interface Problem {
  problem: string;
}

/** Returns undefined when there is no readable file at the path. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readWholeFile(path, { maxBytes: MAX_BYTES }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function specifiersOf(text: string): { specifiers: string[] } | Problem {
  if (REQUIRE.test(text)) return { problem: "it calls require" };
  const specifiers: string[] = [];
  for (const [, direct, called, meta, other] of text.matchAll(IMPORT)) {
    if (meta !== undefined) continue;
    if (other !== undefined) return { problem: "it imports by an expression" };
    specifiers.push((direct ?? called ?? "").slice(1, -1));
  }
  for (const { 1: named = "", index } of text.matchAll(FROM)) {
    const specifier = named.slice(1, -1);
    // Its default export is the global `process`, which cannot load code any more.
    const isGlobal = /^(node:)?process$/.test(specifier) && DEFAULT.test(text.slice(0, index));
    if (!isGlobal) specifiers.push(specifier);
  }
  return { specifiers };
}

/** Adds the imported file to `seen`. Imports that Deno's rules for packages and network already block are left to Deno. */
function follow(
  specifier: string,
  { path, folder, seen }: { path: string; folder: string; seen: Set<string> },
): Problem | undefined {
  const refused = { problem: `it imports ${JSON.stringify(specifier)}` };
  if (specifier.includes("\\")) return refused;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(specifier)?.[1]?.toLowerCase();
  if (scheme === "node") {
    return NODE_MODULES.has(specifier.slice("node:".length)) ? undefined : refused;
  }
  if (scheme === "npm" || scheme === "jsr" || scheme === "https") return undefined;
  if (scheme !== undefined && scheme !== "file") return refused;
  const isPath = scheme === "file" || /^\.{0,2}\//.test(specifier);
  // A name without a path: a module of Node, or none.
  if (!isPath) return NODE_MODULES.has(specifier) ? undefined : refused;
  const url = URL.canParse(specifier, pathToFileURL(path).href)
    ? new URL(specifier, pathToFileURL(path))
    : undefined;
  // No path contains an encoded slash.
  if (url === undefined || url.host !== "" || /%2f|%5c/i.test(url.pathname)) return refused;
  const target = knownRealPath(fileURLToPath(url));
  // A WebAssembly module names its imports in binary form.
  if (!isWithin(target, folder) || target.endsWith(".wasm")) return refused;
  seen.add(target);
  return undefined;
}
