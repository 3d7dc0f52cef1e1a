// What a tool's file may import in an executable that has no sandbox. There the module loader asks for no permission, so an
// import could read any file of the machine, as text; the worker around a tool cannot keep it from that.
//
// Decision: a look at the text instead of a parser, because the two words that matter, `import` and `from`, can be written in
// one way only, and a file that is refused although it is harmless tells why (rejected: a bundler, which an executable does not
// have; refusing all tools).
import { fileURLToPath, pathToFileURL } from "node:url";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { knownRealPath } from "../../../base/files/known_real_path.ts";
import { isWithin } from "../files/place.ts";

const MAX_FILES = 200;
const MAX_BYTES = 4 * 1024 * 1024;

/** Node's modules that neither load code nor start threads. */
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
 * The word, and what follows it: a text, a call of one text, `.meta`, or the beginning of anything else. What follows is only
 * looked at: a word in a comment must not hide the one behind it.
 */
const IMPORT = new RegExp(
  String
    .raw`(?<![\w$])import(?=${GAP}(?:(${TEXT})|\(${GAP}(${TEXT})${GAP}[,)]|(\.${GAP}meta\b)|([(.])))`,
  "g",
);
const FROM = new RegExp(String.raw`(?<![\w$])from(?=${GAP}(${TEXT}))`, "g");
const DEFAULT = /(?<![\w$])import\s+[A-Za-z_$][\w$]*\s*$/;
const REQUIRE = new RegExp(String.raw`(?<![\w$])require(?=${GAP}\()`);

/** Why a tool's file, or one that it imports, must not be loaded where the loader is open: the end of a sentence. */
export async function findOpenImport(file: string, toolsDir: string): Promise<string | undefined> {
  const folder = knownRealPath(toolsDir);
  const seen = new Set<string>([knownRealPath(file)]);
  for (const path of seen) {
    if (seen.size > MAX_FILES) return `it imports more than ${MAX_FILES} files`;
    const text = await textOf(path);
    // The loader says so, too, where that matters.
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

/** Undefined where nothing that can be read is at the path. */
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
    // Its default is the global `process`, of which nothing loads code any more.
    const isGlobal = /^(node:)?process$/.test(specifier) && DEFAULT.test(text.slice(0, index));
    if (!isGlobal) specifiers.push(specifier);
  }
  return { specifiers };
}

/** Adds the file that is meant to `seen`; what Deno's own rules for packages and the network keep out is left to them. */
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
  // A name without a path: of a module of Node's, or of none.
  if (!isPath) return NODE_MODULES.has(specifier) ? undefined : refused;
  const url = URL.canParse(specifier, pathToFileURL(path).href)
    ? new URL(specifier, pathToFileURL(path))
    : undefined;
  // An encoded slash is in no path.
  if (url === undefined || url.host !== "" || /%2f|%5c/i.test(url.pathname)) return refused;
  const target = knownRealPath(fileURLToPath(url));
  // A module of WebAssembly names its imports in bytes.
  if (!isWithin(target, folder) || target.endsWith(".wasm")) return refused;
  seen.add(target);
  return undefined;
}
