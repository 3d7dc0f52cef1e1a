// Which files are the program: what main.ts and the workers reach when they run. Tests, tools, types and what assets were
// made from stay behind by themselves.
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { lastWords, runCommand } from "./command.ts";
import { REPOSITORY } from "./product.ts";

/** Where it starts. */
export const MAIN = "main.ts";

/** Modules that the program starts as workers: no import leads to them. */
export const WORKERS: readonly string[] = [
  "runtime/tools/custom/host/tool_worker.ts",
  "runtime/tools/custom/host/script_worker.ts",
];

/** As `deno info --json` writes it, as far as it is read here. */
interface ModuleGraph {
  modules: {
    specifier: string;
    dependencies?: { specifier: string; code?: { specifier?: string; error?: string } }[];
  }[];
}

/**
 * Modules and the texts that they import, relative to the repository, in order. deno.json is none of them, although
 * main.ts reads it: what ships has one of its own. Throws Error when a module cannot be found.
 */
export async function shippedFiles(): Promise<string[]> {
  const reached = new Set<string>();
  for (const entry of [MAIN, ...WORKERS]) {
    const command = [Deno.execPath(), "info", "--json", "--frozen", entry];
    const result = await runCommand(command, { cwd: REPOSITORY });
    if (!result.success) throw new Error(`deno info ${entry} failed: ${lastWords(result)}`);
    follow(JSON.parse(result.stdout), pathToFileURL(join(REPOSITORY, entry)).href, reached);
  }
  return [...reached].filter((url) => url.startsWith("file:"))
    .map((url) => relative(REPOSITORY, fileURLToPath(url)).replaceAll("\\", "/"))
    .filter((file) => file !== "deno.json").sort();
}

/** Adds the module and all that its code needs. What only its types need is not there when it runs. */
function follow({ modules }: ModuleGraph, from: string, reached: Set<string>): void {
  const known = new Map(modules.map((one) => [one.specifier, one]));
  const pending = [from];
  for (let url = pending.pop(); url !== undefined; url = pending.pop()) {
    if (reached.has(url)) continue;
    reached.add(url);
    for (const { specifier, code } of known.get(url)?.dependencies ?? []) {
      if (code?.error !== undefined) throw new Error(`${url} imports ${specifier}: ${code.error}`);
      if (code?.specifier !== undefined) pending.push(code.specifier);
    }
  }
}
