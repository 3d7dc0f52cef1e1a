// The YAML package as ES modules. Where it finds Node's condition, as it does under Deno, the package names its CommonJS
// files instead: eighty of them, which Deno can only load with Node's modules. Every start would wait 30 ms for that,
// and the service would hold 11 MB more for good. What ships has a plain import in the place of this file
// (release/stage.ts): there the package lies where it can be named, and some engines start no module that waits.
import type * as Yaml from "yaml";
import { errorCode } from "../../../base/error_code.ts";

/** Beside what the package names. `tests/runtime/config/files/yaml_library_test.ts` tells when they are no longer there. */
const ES_MODULES = "../browser/index.js";

/** What of the package is used here. Its types are those of the package itself. */
export const {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
}: typeof Yaml = await load();

async function load(): Promise<typeof Yaml> {
  try {
    return await import(new URL(ES_MODULES, import.meta.resolve("yaml")).href);
  } catch (error) {
    // Whoever packs Inkling may have kept only what the package names, or may know packages by no name.
    if (errorCode(error) !== "ERR_MODULE_NOT_FOUND" && !(error instanceof TypeError)) throw error;
    return await import("yaml");
  }
}
