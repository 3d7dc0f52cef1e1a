// The npm packages that ship with the program: exactly those of deno.lock, and of each only what can be run.
import { join } from "node:path";
import { lastWords, runCommand } from "./command.ts";
import { filesBelow, forEachFile, removeIfThere, writeJson } from "./folder.ts";
import { type PackageFolder, packageFolders } from "./package_folder.ts";

/** Code and data that code loads. The rest is types, source maps, sources, papers (see licence_list.ts) and leftovers. */
const NEEDED = /\.(js|mjs|cjs|json|node|wasm)$/i;
const CODE = /\.(js|mjs|cjs|node|wasm)$/i;
/** Tests, benchmarks and an editor's leftovers, which ask for packages that nobody ships. */
const NEVER_RUN = /(^|\/)(\.history|bench|[a-z-]*tests?)\/|[/.](bench|test)\.js$/;

/** Which packages. */
export interface PackageList {
  /** As deno.json has them: `{"zod": "npm:zod@4.6.7"}`. */
  imports: Record<string, string>;
  allowScripts?: unknown;
  /** The lock file that names what they need in turn, and their checksums. */
  lock: string;
}

/**
 * Puts packages into the `node_modules` of a folder: verified against the lock file, in one flat level, as npm lays them
 * out, so that the same folder serves an executable and an npm package. Throws Error.
 */
export async function vendorPackages(directory: string, list: PackageList): Promise<void> {
  const { lock, ...settings } = list;
  const [config, lockCopy] = [join(directory, "deno.json"), join(directory, "deno.lock")];
  await writeJson(config, { nodeModulesDir: "manual", ...settings });
  await Deno.copyFile(lock, lockCopy);
  const command = [
    Deno.execPath(),
    "install",
    "--prod",
    "--frozen",
    "--node-modules-linker=hoisted",
  ];
  const result = await runCommand(command, { cwd: directory });
  if (!result.success) throw new Error(`The packages cannot be installed: ${lastWords(result)}`);
  const nodeModules = join(directory, "node_modules");
  await Deno.remove(lockCopy);
  await Deno.remove(config);
  // What the installer keeps for itself; Inkling starts no programs of packages.
  for (const own of [".deno", ".bin"]) await removeIfThere(join(nodeModules, own));
}

/**
 * Removes what can never be run, and packages that hold nothing else (type declarations). Returns those that stay. Throws
 * Error when one of them is made for one kind of machine: the same folder goes to all.
 */
export async function prunePackages(directory: string): Promise<PackageFolder[]> {
  const nodeModules = join(directory, "node_modules");
  const all = await packageFolders(nodeModules);
  const idle = (await filesBelow(nodeModules)).filter((file) =>
    !NEEDED.test(file) || NEVER_RUN.test(file.replaceAll("\\", "/"))
  );
  await forEachFile(idle, (file) => Deno.remove(join(nodeModules, file)));
  const kept: PackageFolder[] = [];
  // Inner ones first.
  for (const one of all.toReversed()) {
    const files = await filesBelow(one.directory);
    if (!files.some((file) => CODE.test(file))) {
      await Deno.remove(one.directory, { recursive: true });
      continue;
    }
    const native = files.find((file) => file.endsWith(".node"));
    if (native !== undefined) throw new Error(`${one.name} is not for every machine: ${native}`);
    kept.unshift(one);
  }
  await removeEmptyFolders(nodeModules);
  return kept;
}

/** Returns whether the folder itself is gone. */
async function removeEmptyFolders(directory: string): Promise<boolean> {
  let isEmpty = true;
  for (const { name, isDirectory } of await Array.fromAsync(Deno.readDir(directory))) {
    isEmpty = isDirectory && await removeEmptyFolders(join(directory, name)) && isEmpty;
  }
  if (isEmpty) await Deno.remove(directory);
  return isEmpty;
}
