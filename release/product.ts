// Defines the constants of the shipped product: name, version, main files, and the Deno version that builds it.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import denoJson from "../deno.json" with { type: "json" };

/** The path of the repository, which contains deno.json. */
export const REPOSITORY = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** The program's name and version, which only deno.json contains. */
export const { name: NAME, version: VERSION } = denoJson;

/** The file name of the main module. WORKERS are the modules that it starts as workers, which no other module imports. */
export const MAIN = "main.js";
export const WORKERS: readonly string[] = [
  "tool_worker",
  "script_worker",
  "pdf_worker",
  "search_worker",
]
  .map((name) => `modules/${name}.js`);

/** The file with the third-party licenses, relative to the repository. `deno task licenses` writes it. */
export const LICENSE_LIST = "THIRD_PARTY_LICENSES.txt";

/** The file with the public keys that sign releases, relative to the repository. It is optional. */
export const PUBLIC_KEY_FILE = "release/minisign.pub";

/** The file with the checksums of a release. */
export const CHECKSUM_FILE = "SHA256SUMS";

/** The list of third-party software in the format of CycloneDX, relative to the repository. `deno task licenses` writes it. */
export const SBOM = "release/licenses/sbom.cdx.json";

/** The files that accompany every copy of the program. */
export const LEGAL_FILES: readonly string[] = ["LICENSE", LICENSE_LIST];

/** The folder with the agents that `inkling new --from` copies, in the repository and in every copy of the program. */
export const GALLERY = "examples/gallery";

/**
 * The Deno version that builds the program and that the npm package depends on. It must be the running Deno, because an
 * executable contains the runtime of the Deno that compiles it.
 */
export const DENO_VERSION = "2.9.6";

/** Throws Error if the running Deno has another version, because the output would then differ from the tested program. */
export function requirePinnedDeno(): void {
  if (Deno.version.deno === DENO_VERSION) return;
  throw new Error(
    `This is Deno ${Deno.version.deno}, and Inkling is packed by ${DENO_VERSION}: ` +
      `put "npx -y deno@${DENO_VERSION}" in the place of "deno"`,
  );
}
