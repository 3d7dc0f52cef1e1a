// Writes the SBOM: the list of third-party software that ships with the program, in the JSON format of CycloneDX 1.6.
import { join } from "node:path";
import denoJson from "../../deno.json" with { type: "json" };
import pageJson from "../../page/deno.json" with { type: "json" };
import type { PackageFolder } from "../package_folder.ts";
import { DENO_VERSION, NAME, REPOSITORY, VERSION } from "../product.ts";
import { readLockFiles } from "./lock_file.ts";

const LOCK_FILES = ["deno.lock", "page/deno.lock"];

/** The references of the program and of Deno in the list. */
const [SELF, DENO] = [`${NAME}@${VERSION}`, `deno@${DENO_VERSION}`];

/**
 * Returns the text of the SBOM for the packages that ship, with the checksums and dependencies of the lock files. It has no
 * date and no serial number, so equal packages give equal bytes. Throws Error for a package that is not locked.
 */
export async function writeSbom(packages: readonly PackageFolder[]): Promise<string> {
  const locked = await readLockFiles(LOCK_FILES.map((file) => join(REPOSITORY, file)));
  const ids = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  const components = [...ids].map(([id, { name, version, license }]) => {
    const entry = locked.get(id);
    if (entry === undefined) throw new Error(`${id} ships, and no lock file contains it`);
    return {
      type: "library",
      "bom-ref": id,
      name,
      version,
      hashes: [{ alg: "SHA-512", content: entry.sha512 }],
      // A choice of licenses, such as "(MIT OR EUPL-1.1+)", is an expression.
      licenses: license.includes(" ") ? [{ expression: license }] : [{ license: { id: license } }],
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    };
  });
  const imports = Object.values({ ...denoJson.imports, ...pageJson.imports });
  const direct = imports.map((pinned) => pinned.replace("npm:", "")).filter((id) => ids.has(id));
  const dependencies = [...ids.keys()].map((id) => ({
    ref: id,
    dependsOn: locked.get(id)?.dependencies.filter((one) => ids.has(one)).sort() ?? [],
  }));
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        ...{ type: "application", "bom-ref": SELF, name: NAME, version: VERSION },
        licenses: [{ license: { id: denoJson.license } }],
      },
    },
    components: [
      {
        ...{ type: "platform", "bom-ref": DENO, name: "deno", version: DENO_VERSION },
        licenses: [{ license: { id: "MIT" } }],
        purl: `pkg:github/denoland/deno@v${DENO_VERSION}`,
      },
      ...components,
    ],
    dependencies: [
      { ref: SELF, dependsOn: [DENO, ...direct.sort()] },
      ...dependencies,
    ],
  };
  return JSON.stringify(sbom, null, 2) + "\n";
}
