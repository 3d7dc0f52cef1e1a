// The npm package: the program as JavaScript with its packages inside, and the Deno that runs it as its one dependency.
// Nothing is fetched when it runs.
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { lastWords, runCommand } from "./command.ts";
import { copyTree, filesBelow, writeJson } from "./folder.ts";
import { DENO_VERSION, NAME, REPOSITORY, VERSION } from "./product.ts";
import { dependenciesOf, type Stage } from "./stage.ts";

/** What is told of the package. */
export interface NpmPackageOptions {
  /** The https address of the repository that it is made from; npm wants it for a proof of origin. */
  repository?: string;
}

/** Turns a stage into the package. Throws Error for an address that is none. */
export async function toNpmPackage(
  { directory, files, packages }: Stage,
  { repository }: NpmPackageOptions = {},
): Promise<void> {
  // First: an address that is none is told before anything is changed.
  const origin = repository === undefined ? {} : { repository: toRepository(repository) };
  const path = (name: string) => join(directory, name);
  await toJavaScript(directory, files.filter((file) => file.endsWith(".ts")));
  for (const name of ["bin", "package.json"]) {
    await copyTree(join(REPOSITORY, "release/npm", name), path(name));
  }
  // The README leads to the documents.
  for (const name of ["README.md", "docs"]) await copyTree(join(REPOSITORY, name), path(name));
  const bin = await Deno.readTextFile(path("bin/inkling"));
  await Deno.writeTextFile(
    path("bin/inkling"),
    bin.replace("@PERMISSION_FLAGS@", PERMISSION_FLAGS.join(" ")),
  );
  const dependencies = dependenciesOf(packages);
  await writeJson(path("package.json"), {
    name: NAME,
    version: VERSION,
    ...JSON.parse(await Deno.readTextFile(path("package.json"))),
    ...origin,
    files: (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort(),
    dependencies: { ...dependencies, deno: DENO_VERSION },
    bundleDependencies: Object.keys(dependencies),
  });
}

/** As package.json has it. */
function toRepository(text: string): { type: "git"; url: string } {
  if (!/^https:\/\/[\w.-]+(\/[\w.-]+)+$/.test(text)) {
    throw new Error(`"${text}" is not the https address of a repository`);
  }
  return { type: "git", url: `git+${text.replace(/\.git$/, "")}.git` };
}

/** Packs the package to a file in `folder`, and returns its path. Throws Error. */
export async function packNpmPackage(directory: string, folder: string): Promise<string> {
  const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
  const result = await runCommand([
    ...[npm, "pack", "--json", "--ignore-scripts", "--offline", "--no-update-notifier"],
    ...["--pack-destination", folder],
  ], { cwd: directory });
  if (!result.success) throw new Error(`npm pack failed: ${lastWords(result)}`);
  const { filename, files } = packed(result.stdout);
  // npm has rules of its own about what belongs into a package.
  const inside = new Set(files);
  const missing = (await filesBelow(directory)).map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !inside.has(file));
  if (missing.length > 0) throw new Error(`npm left out of the package: ${missing.join(", ")}`);
  return join(folder, filename);
}

/** npm has printed a list of packages, and prints an object with one by its name. */
function packed(json: string): { filename: string; files: string[] } {
  const [one] = Object.values(JSON.parse(json)) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (one === undefined) throw new Error(`npm pack packed nothing: ${json}`);
  return { filename: one.filename, files: one.files.map(({ path }) => path) };
}

/** A path of a module, relative to the one that it stands in, as code writes it. */
const MODULE_PATH = /"(\.{1,2}\/[^"\n]*)\.ts"/g;

/**
 * Puts JavaScript in the place of the TypeScript files named (relative to the folder), under the same names but for the
 * ending; whatever names such a file, by import or by URL, names the new one. Throws Error.
 */
async function toJavaScript(directory: string, files: readonly string[]): Promise<void> {
  const command = [Deno.execPath(), "transpile", "--no-check", "--outdir", ".", ...files];
  const result = await runCommand(command, { cwd: directory });
  if (!result.success) throw new Error(`deno transpile failed: ${lastWords(result)}`);
  for (const file of files) await Deno.remove(join(directory, file));
  const known = new Set(files);
  for (const file of files) {
    const path = join(directory, javaScriptName(file));
    await Deno.writeTextFile(path, renameModules(await Deno.readTextFile(path), { file, known }));
  }
}

/** `main.js` for `main.ts`. */
function javaScriptName(file: string): string {
  return file.replace(/\.ts$/, ".js");
}

/** Throws Error where code names a file that is not there: what it is for would fail on somebody else's machine. */
function renameModules(
  source: string,
  { file, known }: { file: string; known: ReadonlySet<string> },
): string {
  return source.replaceAll(MODULE_PATH, (_whole, path: string) => {
    const target = new URL(`${path}.ts`, `file:///${file}`).pathname.slice(1);
    if (!known.has(target)) throw new Error(`${file} names ${path}.ts, which does not ship`);
    return `"${path}.js"`;
  });
}
