// Writes the shipped program to a temporary folder, the stage, from which an executable or the npm package is made.
import { join } from "node:path";
import denoJson from "../deno.json" with { type: "json" };
import { bundleProgram } from "./bundle.ts";
import { copyTree, filesBelow, writeJson } from "./folder.ts";
import { parseReleaseAddress } from "./given_address.ts";
import { type PackageFolder, packageFolders } from "./package_folder.ts";
import { readPublicKeys } from "./minisign_key.ts";
import { GALLERY, LEGAL_FILES, REPOSITORY, VERSION } from "./product.ts";
import { vendorPackages } from "./vendored_packages.ts";

/** The source file that contains the address of releases. A release replaces its line NO_ADDRESS. */
const ADDRESS_FILE = "cli/update/release_address.ts";
const NO_ADDRESS = "const BUILT_IN = undefined;";

/** The source file that contains the public keys of releases. A build replaces its line NO_KEYS. */
const KEYS_FILE = "cli/context/distribution.ts";
const NO_KEYS = "const RELEASE_KEYS = [];";

/** The values that are built into the program, as flags of a task. */
export interface StageOptions {
  /**
   * The address where `inkling update` finds releases. Without an address, the command requires an environment variable.
   */
  address?: string;
  /** The file with the public keys that sign releases; release/minisign.pub by default. */
  "public-key"?: string;
}

/** A folder with the shipped program. Disposing removes the folder. */
export interface Stage extends AsyncDisposable {
  directory: string;
  /** The program's files in the bundled modules, relative to the repository. */
  files: readonly string[];
  /** The packages in the bundled modules. */
  packages: readonly PackageFolder[];
}

/** Creates a stage. Throws Error if a package is unavailable, or the address or a key is invalid. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { address } = options;
  const keys = await readPublicKeys(options["public-key"]);
  const changes = {
    ...address === undefined ? {} : {
      [ADDRESS_FILE]: withLine(ADDRESS_FILE, {
        line: NO_ADDRESS,
        by: `const BUILT_IN = ${JSON.stringify(parseReleaseAddress(address))};`,
      }),
    },
    [KEYS_FILE]: withLine(KEYS_FILE, {
      line: NO_KEYS,
      by: `const RELEASE_KEYS = ${JSON.stringify(keys)};`,
    }),
  };
  const directory = await makeFolder();
  const workFolder = await makeFolder();
  const remove = () => Deno.remove(directory, { recursive: true });
  try {
    const { imports } = denoJson;
    const lock = join(REPOSITORY, "deno.lock");
    await vendorPackages(workFolder, { imports, lock });
    const settings = { version: VERSION };
    const files = await bundleProgram({ workFolder, output: directory, settings, changes });
    for (const name of [...LEGAL_FILES, GALLERY]) {
      await copyTree(join(REPOSITORY, name), join(directory, name));
    }
    // An empty `workspace` keeps Deno from searching the parent folders for a workspace.
    await writeJson(join(directory, "deno.json"), { ...settings, lock: false, workspace: [] });
    await unifyDates(directory);
    const packages = (await packageFolders(join(workFolder, "node_modules"))).filter((one) =>
      files.packaged.some((file) => ownerOf(join(workFolder, file)) === one.directory)
    );
    return { directory, files: files.own, packages, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await Deno.remove(workFolder, { recursive: true });
  }
}

async function makeFolder(): Promise<string> {
  return await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-stage-" }));
}

/** Returns the folder of the package that contains a file; undefined for a file outside of packages. */
function ownerOf(file: string): string | undefined {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/**
 * Returns a function that replaces a line of a source. The function throws Error unless the source contains the line
 * exactly once.
 */
function withLine(
  file: string,
  { line, by }: { line: string; by: string },
): (source: string) => string {
  return (source) => {
    if (source.split(line).length === 2) return source.replace(line, () => by);
    throw new Error(`${file} has no line that says: ${line}`);
  };
}

/** The date of all files. Executables contain file dates, and equal sources must give equal bytes. */
const DATE = new Date("2000-01-01T00:00:00Z");

/** Sets DATE on every file below a folder. */
async function unifyDates(directory: string): Promise<void> {
  const files = await filesBelow(directory);
  await Promise.all(files.map((file) => Deno.utime(join(directory, file), DATE, DATE)));
}
