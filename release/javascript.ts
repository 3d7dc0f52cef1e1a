// The program as JavaScript. Deno does not run TypeScript in a node_modules folder, where npm puts packages.
import { join } from "node:path";
import { lastWords, runCommand } from "./command.ts";

/** A path of a module, relative to the one that it stands in, as code writes it. */
const MODULE_PATH = /"(\.{1,2}\/[^"\n]*)\.ts"/g;

/**
 * Puts JavaScript in the place of the TypeScript files named (relative to the folder), under the same names but for the
 * ending; whatever names such a file, by import or by URL, names the new one. Throws Error.
 */
export async function toJavaScript(directory: string, files: readonly string[]): Promise<void> {
  const command = [Deno.execPath(), "transpile", "--no-check", "--outdir", ".", ...files];
  const result = await runCommand(command, { cwd: directory });
  if (!result.success) throw new Error(`deno transpile failed: ${lastWords(result)}`);
  for (const file of files) await Deno.remove(join(directory, file));
  const known = new Set(files);
  for (const file of files) {
    const path = join(directory, javaScriptName(file));
    await Deno.writeTextFile(path, renameModules(await Deno.readTextFile(path), { file, known }));
  }
}

/** `main.js` for `main.ts`. */
function javaScriptName(file: string): string {
  return file.replace(/\.ts$/, ".js");
}

/** Throws Error where code names a file that is not there: what it is for would fail on somebody else's machine. */
function renameModules(
  source: string,
  { file, known }: { file: string; known: ReadonlySet<string> },
): string {
  return source.replaceAll(MODULE_PATH, (_whole, path: string) => {
    const target = new URL(`${path}.ts`, `file:///${file}`).pathname.slice(1);
    if (!known.has(target)) throw new Error(`${file} names ${path}.ts, which does not ship`);
    return `"${path}.js"`;
  });
}
