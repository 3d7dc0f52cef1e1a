// The program's own files: the sources in a checkout, or the modules of the shipped bundle.
import { PATHS } from "./plain_path.ts";

const IS_BUNDLE = !import.meta.url.endsWith(".ts");

/** Returns the program's folder. This module is one folder below it in both. */
export function programFolder(): string {
  return PATHS.dirname(import.meta.dirname ?? "");
}

/** Returns the configuration file that Deno starts the program with. */
export function programConfig(): string {
  return PATHS.join(programFolder(), "deno.json");
}

/** Returns the program's main module. */
export function mainModule(): string {
  return PATHS.join(programFolder(), IS_BUNDLE ? "main.js" : "main.ts");
}

/**
 * Returns the folder of the workers that run agents' tools and scripts. A process with narrow permissions loads nothing
 * else.
 */
export function workerFolder(): string {
  return PATHS.join(programFolder(), IS_BUNDLE ? "modules/" : "runtime/tools/custom/host/");
}

/** Returns the module of one worker. */
export function workerModule(name: "tool_worker" | "script_worker" | "pdf_worker"): URL {
  const place = IS_BUNDLE ? `./${name}.js` : `../runtime/tools/custom/host/${name}.ts`;
  return new URL(place, import.meta.url);
}
