// The constants of the shipped product, for every kind of package: name, version, and the Deno that builds it.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import denoJson from "../deno.json" with { type: "json" };

/** The folder that holds deno.json. */
export const REPOSITORY = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** The program's name and version. deno.json is the only place of both. */
export const { name: NAME, version: VERSION } = denoJson;

/** The main module, and the modules that it starts as workers, which no import names. */
export const MAIN = "main.js";
export const WORKERS: readonly string[] = ["tool_worker", "script_worker", "pdf_worker"].map((
  name,
) => `modules/${name}.js`);

/** The third-party licenses, relative to the repository: see license_list.ts. */
export const LICENSE_LIST = "THIRD_PARTY_LICENSES.txt";

/** The files that accompany every copy of the program. */
export const LEGAL_FILES: readonly string[] = ["LICENSE", LICENSE_LIST];

/**
 * The Deno version that builds the program and that the npm package depends on. An executable always contains the
 * runtime of the Deno that compiles it.
 */
export const DENO_VERSION = "2.9.6";

/** Throws Error when this is another Deno: its output would differ from the tested program. */
export function requirePinnedDeno(): void {
  if (Deno.version.deno === DENO_VERSION) return;
  throw new Error(
    `This is Deno ${Deno.version.deno}, and Inkling is packed by ${DENO_VERSION}: ` +
      `put "npx -y deno@${DENO_VERSION}" in the place of "deno"`,
  );
}
