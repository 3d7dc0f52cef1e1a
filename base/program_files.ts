// Where the program's own files are: the sources in a checkout, or the modules of the bundle that ships.
import { PATHS } from "./plain_path.ts";

const IS_BUNDLE = !import.meta.url.endsWith(".ts");

/** The program's folder. This module lies one folder below it in both. */
export function programFolder(): string {
  return PATHS.dirname(import.meta.dirname ?? "");
}

/** The settings that Deno starts it with. */
export function programConfig(): string {
  return PATHS.join(programFolder(), "deno.json");
}

/** The module that it starts with. */
export function mainModule(): string {
  return PATHS.join(programFolder(), IS_BUNDLE ? "main.js" : "main.ts");
}

/** The folder of the workers that run agents' tools and scripts: all that a process with narrow permissions loads. */
export function workerFolder(): string {
  return PATHS.join(programFolder(), IS_BUNDLE ? "modules/" : "runtime/tools/custom/host/");
}

/** One of them. */
export function workerModule(name: "tool_worker" | "script_worker" | "pdf_worker"): URL {
  const place = IS_BUNDLE ? `./${name}.js` : `../runtime/tools/custom/host/${name}.ts`;
  return new URL(place, import.meta.url);
}
