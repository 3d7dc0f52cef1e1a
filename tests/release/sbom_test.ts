// The SBOM: valid against the schema of CycloneDX, with the packages of the license list and the checksums of the lock file.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Schema, Validator } from "@cfworker/json-schema";
// The import makes Deno download the package, which contains the schemas.
import library from "@cyclonedx/cyclonedx-library/package.json" with { type: "json" };
import denoJson from "../../deno.json" with { type: "json" };
import { DENO_VERSION, SBOM } from "../../release/product.ts";
import { REPOSITORY } from "../support/repository.ts";

interface Component {
  "bom-ref": string;
  name: string;
  version: string;
  hashes?: { alg: string; content: string }[];
}
interface Sbom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const read = (path: string) => JSON.parse(Deno.readTextFileSync(path));
const present: Sbom = read(join(REPOSITORY, SBOM));
const lock = read(join(REPOSITORY, "deno.lock"));

/** Returns a schema from the library's folder. */
function schema(name: string): Schema {
  const main = fileURLToPath(import.meta.resolve(library.name));
  return read(join(dirname(dirname(main)), "res/schema", `${name}.SNAPSHOT.schema.json`));
}

Deno.test("the SBOM is valid against the schema of CycloneDX", () => {
  const validator = new Validator(schema("bom-1.6"), "7", false);
  for (const name of ["spdx", "jsf-0.82"]) {
    validator.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  const { valid, errors } = validator.validate(present);
  assert.ok(valid, JSON.stringify(errors.slice(-3)));
  // The schema rejects an unknown license, a wrong checksum and an unknown field.
  const [first, second] = present.components;
  const broken = [
    { ...first, licenses: [{ license: { id: "MTI" } }] },
    { ...second, hashes: [{ alg: "SHA-512", content: "abc" }] },
    { ...first, colour: "red" },
  ];
  for (const component of broken) {
    assert.ok(!validator.validate({ ...present, components: [component] }).valid);
  }
});

Deno.test("the SBOM names Deno and the license list's packages, with the lock file's checksums", () => {
  const list = Deno.readTextFileSync(join(REPOSITORY, "THIRD_PARTY_LICENSES.txt"));
  const [, packages = ""] = /\nPACKAGES\n\n([\s\S]*?)\n\n/.exec(list) ?? [];
  const titles = packages.split("\n").map((line) => line.split(":")[0]);
  const [deno, ...components] = present.components;
  assert.deepEqual([deno?.name, deno?.version], ["deno", DENO_VERSION]);
  assert.deepEqual(components.map(({ name, version }) => `${name} ${version}`), titles);
  assert.equal(present.metadata.component.version, denoJson.version);
  for (const { "bom-ref": ref, hashes = [] } of components) {
    const { integrity } = lock.npm[ref] ?? {};
    if (integrity === undefined) continue;
    assert.deepEqual(hashes, [{
      alg: "SHA-512",
      content: Uint8Array.fromBase64(integrity.slice("sha512-".length)).toHex(),
    }]);
  }
});

Deno.test("every component of the SBOM is a dependency of the program", () => {
  const needs = new Map(present.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set<string>();
  const visit = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    needs.get(ref)?.forEach(visit);
  };
  visit(present.metadata.component["bom-ref"]);
  const unreached = present.components.filter(({ "bom-ref": ref }) => !reached.has(ref));
  assert.deepEqual(unreached.map(({ name }) => name), []);
});
