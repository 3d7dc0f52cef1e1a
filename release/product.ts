// What ships, under which name and number, and built by which Deno: every way of packing goes by this.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import denoJson from "../deno.json" with { type: "json" };

/** The folder that holds deno.json. */
export const REPOSITORY = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** The program's name and version; deno.json is the one place of both. */
export const { name: NAME, version: VERSION } = denoJson;

/** The module that the program starts with, and those that it starts as workers, to which no import leads. */
export const MAIN = "main.js";
export const WORKERS: readonly string[] = ["tool_worker", "script_worker", "pdf_worker"].map((
  name,
) => `modules/${name}.js`);

/** The licences of others, relative to the repository: see licence_list.ts. */
export const LICENCE_LIST = "THIRD_PARTY_LICENSES.txt";

/** What everybody who gets a copy of the program gets with it. */
export const PAPERS: readonly string[] = ["LICENSE", LICENCE_LIST];

/**
 * The Deno that the program is built with, and that the npm package brings. The runtime inside of an executable is
 * always the one of the Deno that compiles it.
 */
export const DENO_VERSION = "2.9.6";

/** Throws Error when this is another Deno: what it makes would be another program than the one that was tested. */
export function requirePinnedDeno(): void {
  if (Deno.version.deno === DENO_VERSION) return;
  throw new Error(
    `This is Deno ${Deno.version.deno}, and Inkling is packed by ${DENO_VERSION}: ` +
      `put "npx -y deno@${DENO_VERSION}" in the place of "deno"`,
  );
}
