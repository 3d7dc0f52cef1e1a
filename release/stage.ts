// The program as it ships, in a folder of its own: its sources and its packages, nothing of the tree around them. An
// executable and the npm package are both made from it.
import { dirname, join } from "node:path";
import denoJson from "../deno.json" with { type: "json" };
import { copyTree, forEachFile, writeJson } from "./folder.ts";
import { parseGivenAddress } from "./given_address.ts";
import type { PackageFolder } from "./package_folder.ts";
import { NAME, PAPERS, REPOSITORY, VERSION } from "./product.ts";
import { shippedFiles } from "./shipped_files.ts";
import { prunePackages, vendorPackages } from "./vendored_packages.ts";

/** The line of `cli/update/release_address.ts` that a release fills in. */
const ADDRESS_FILE = "cli/update/release_address.ts";
const NO_ADDRESS = "const BUILT_IN: string | undefined = undefined;";

/** Where the sources wait for the ES modules of a package that names others; see there. */
const YAML_FILE = "runtime/config/files/yaml_library.ts";
const YAML_MODULES = "../../../node_modules/yaml/browser/index.js";

/** What is fixed at the time of packing. */
export interface StageOptions {
  /** Where `inkling update` will look for releases. Without one, it asks for a variable. */
  address?: string;
}

/** The folder. Disposing removes it. */
export interface Stage extends AsyncDisposable {
  directory: string;
  /** The program's own files in it, relative to it. */
  files: readonly string[];
  /** The packages in its `node_modules`. */
  packages: readonly PackageFolder[];
}

/** Makes the folder. Throws Error when the packages are not available, or the address is not valid. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-stage-" }));
  const remove = () => Deno.remove(directory, { recursive: true });
  try {
    const files = await shippedFiles();
    await forEachFile(
      [...files, ...PAPERS],
      (file) => copyTree(join(REPOSITORY, file), join(directory, file)),
    );
    if (options.address !== undefined) await setReleaseAddress(directory, options.address);
    const { imports, allowScripts } = denoJson;
    await vendorPackages(directory, { imports, allowScripts, lock: join(REPOSITORY, "deno.lock") });
    const packages = await prunePackages(directory);
    await importYaml(directory);
    await writeSettings(directory, packages);
    return { directory, files, packages, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Decision: the packages are found by Node's rules, from package.json; the lock file has done its work by now. */
async function writeSettings(
  directory: string,
  packages: readonly PackageFolder[],
): Promise<void> {
  // main.ts reads the version here. Deno's `lazy-dynamic-imports` is left out: with it, `deno compile` embeds nothing
  // that is imported dynamically.
  await writeJson(join(directory, "deno.json"), {
    version: VERSION,
    nodeModulesDir: "manual",
    lock: false,
    // What lies in the folders above belongs to somebody else: without this, Deno looks there for a workspace.
    workspace: [],
  });
  await writeJson(join(directory, "package.json"), {
    name: NAME,
    version: VERSION,
    type: "module",
    dependencies: dependenciesOf(packages),
  });
}

/** Names and exact versions of the packages. One inside of another is that one's own matter. */
export function dependenciesOf(packages: readonly PackageFolder[]): Record<string, string> {
  const outer = packages.filter(({ isInner }) => !isInner);
  return Object.fromEntries(outer.map(({ name, version }) => [name, version]));
}

/** Here the package has a place of its own, so a plain import finds it. Throws Error where its modules are not there. */
async function importYaml(directory: string): Promise<void> {
  const path = join(directory, YAML_FILE);
  await Deno.stat(join(dirname(path), YAML_MODULES));
  await Deno.writeTextFile(path, `export * from ${JSON.stringify(YAML_MODULES)};\n`);
}

async function setReleaseAddress(directory: string, text: string): Promise<void> {
  const address = parseGivenAddress(text);
  const path = join(directory, ADDRESS_FILE);
  const source = await Deno.readTextFile(path);
  if (source.split(NO_ADDRESS).length !== 2) {
    throw new Error(`${ADDRESS_FILE} has no line that says: ${NO_ADDRESS}`);
  }
  const line = `const BUILT_IN: string | undefined = ${JSON.stringify(address)};`;
  await Deno.writeTextFile(path, source.replace(NO_ADDRESS, () => line));
}
