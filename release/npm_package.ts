// Builds the npm package: the bundled program, with the matching Deno as its only dependency. Running it downloads
// nothing.
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { lastOutput, runCommand } from "./command.ts";
import { copyTree, filesBelow, writeJson } from "./folder.ts";
import { DENO_VERSION, NAME, REPOSITORY, VERSION } from "./product.ts";
import type { Stage } from "./stage.ts";

/** The types of custom tools, for editors. The docs link to them by this path. */
export const TOOL_TYPES = "runtime/tools/custom/custom_tool.ts";

/** The options of the package. */
export interface NpmPackageOptions {
  /** The https address of the source repository; npm needs it for the proof of origin. */
  repository?: string;
}

/** Turns a stage into the package. Throws Error for an invalid repository address. */
export async function toNpmPackage(
  { directory }: Pick<Stage, "directory">,
  { repository }: NpmPackageOptions = {},
): Promise<void> {
  // First, so that an invalid address is reported before any change.
  const origin = repository === undefined ? {} : { repository: toRepository(repository) };
  const path = (name: string) => join(directory, name);
  for (const name of ["bin", "package.json"]) {
    await copyTree(join(REPOSITORY, "release/npm", name), path(name));
  }
  // The README links to the docs, and they link to the examples.
  for (const name of ["README.md", "docs", "examples"]) {
    await copyTree(join(REPOSITORY, name), path(name));
  }
  await copyTree(join(REPOSITORY, TOOL_TYPES), path(TOOL_TYPES));
  const bin = await Deno.readTextFile(path("bin/inkling"));
  await Deno.writeTextFile(
    path("bin/inkling"),
    bin.replace("@PERMISSION_FLAGS@", PERMISSION_FLAGS.join(" ")),
  );
  await writeJson(path("deno.json"), {
    ...JSON.parse(await Deno.readTextFile(path("deno.json"))),
    // Modules that are loaded late are not resolved before. "deno compile" would leave them out with this setting.
    unstable: ["lazy-dynamic-imports"],
  });
  await writeJson(path("package.json"), {
    name: NAME,
    version: VERSION,
    ...JSON.parse(await Deno.readTextFile(path("package.json"))),
    ...origin,
    files: (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort(),
    dependencies: { deno: DENO_VERSION },
  });
}

/** Returns the address as package.json expects it. */
function toRepository(text: string): { type: "git"; url: string } {
  if (!/^https:\/\/[\w.-]+(\/[\w.-]+)+$/.test(text)) {
    throw new Error(`"${text}" is not the https address of a repository`);
  }
  return { type: "git", url: `git+${text.replace(/\.git$/, "")}.git` };
}

/** Packs the package to a file in `folder` and returns its path. Throws Error. */
export async function packNpmPackage(directory: string, folder: string): Promise<string> {
  const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
  const result = await runCommand([
    ...[npm, "pack", "--json", "--ignore-scripts", "--offline", "--no-update-notifier"],
    ...["--pack-destination", folder],
  ], { cwd: directory });
  if (!result.success) throw new Error(`npm pack failed: ${lastOutput(result)}`);
  const { filename, files } = packed(result.stdout);
  // npm has its own rules about the files of a package.
  const inside = new Set(files);
  const missing = (await filesBelow(directory)).map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !inside.has(file));
  if (missing.length > 0) throw new Error(`npm left out of the package: ${missing.join(", ")}`);
  return join(folder, filename);
}

/** npm prints either a list of packages, or an object keyed by name. */
function packed(json: string): { filename: string; files: string[] } {
  const [one] = Object.values(JSON.parse(json)) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (one === undefined) throw new Error(`npm pack packed nothing: ${json}`);
  return { filename: one.filename, files: one.files.map(({ path }) => path) };
}
