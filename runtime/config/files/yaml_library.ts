// Exports the functions of the `yaml` package from its ES modules. Deno resolves the package name to its 73 CommonJS files
// instead, which take 80 ms of processor time at each start (the ES modules take 20). A bundle imports the package directly
// (release/bundle.ts) and therefore contains no top-level await.
import type * as Yaml from "yaml";

/** The path of the ES modules, relative to the file that the package name resolves to. The package does not export it. */
const ES_MODULES = "../browser/index.js";

export const {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parse,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
}: typeof Yaml = await load();

/** Loads the ES modules, or the CommonJS files if the process has no permission to read the package's folder. */
async function load(): Promise<typeof Yaml> {
  try {
    return await import(new URL(ES_MODULES, import.meta.resolve("yaml")).href);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return await import("yaml");
  }
}
