// Finds the program's files: the sources in a checkout, or the modules of the shipped bundle.
import { dirname, join } from "./plain_path.ts";

const IS_BUNDLE = !import.meta.url.endsWith(".ts");

/** Returns the path of the program's folder. In the checkout and in the bundle, this module is one folder below it. */
export function programFolder(): string {
  return dirname(import.meta.dirname ?? "");
}

/** Returns the path of the configuration file with which Deno starts the program. */
export function programConfig(): string {
  return join(programFolder(), "deno.json");
}

/** Returns the path of the program's main module. */
export function mainModule(): string {
  return join(programFolder(), IS_BUNDLE ? "main.js" : "main.ts");
}

/**
 * Returns the path of the main module of host processes. They do not start with main.ts: Deno would read every module of the
 * program first, because it follows the dynamic imports of main.ts, too.
 */
export function hostModule(): string {
  return join(workerFolder(), IS_BUNDLE ? "host_main.js" : "host_main.ts");
}

/**
 * Returns the folder of the workers that run agents' tools and scripts. A tool's process, which has few permissions, loads
 * modules only from this folder.
 */
export function workerFolder(): string {
  return join(programFolder(), IS_BUNDLE ? "modules/" : "runtime/tools/custom/host/");
}

/** The folders of the workers' sources. In the bundle, all workers are in one folder. */
const WORKERS = {
  tool_worker: "runtime/tools/custom/host",
  script_worker: "runtime/tools/custom/host",
  pdf_worker: "runtime/tools/custom/host",
  search_worker: "runtime/tools/search",
};

/** Returns the URL of a worker's module. */
export function workerModule(name: keyof typeof WORKERS): URL {
  const place = IS_BUNDLE ? `./${name}.js` : `../${WORKERS[name]}/${name}.ts`;
  return new URL(place, import.meta.url);
}

/** Returns the folder of the gallery, which is a workspace with the agents that `inkling new --from` copies. */
export function galleryFolder(): string {
  return join(programFolder(), "examples/gallery");
}
