// Builds the npm package, which contains the bundled program and has the matching Deno as its only dependency. Running the
// package downloads nothing.
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { lastOutput, runCommand } from "./command.ts";
import { copyTree, filesBelow, writeJson } from "./folder.ts";
import { DENO_VERSION, NAME, REPOSITORY, VERSION } from "./product.ts";
import type { Stage } from "./stage.ts";

/** The file with the types of custom tools, for editors. The docs link to this path. */
export const TOOL_TYPES = "runtime/tools/custom/custom_tool.ts";

/**
 * Changes a stage into the npm package. `repository` is the https address of the source repository, which npm needs to prove
 * the origin of the package. Throws Error for an invalid address.
 */
export async function toNpmPackage(
  { directory }: Pick<Stage, "directory">,
  { repository }: { repository?: string } = {},
): Promise<void> {
  // Check the address before anything is changed.
  const origin = repository === undefined ? {} : { repository: toRepository(repository) };
  const path = (name: string) => join(directory, name);
  for (const name of ["bin", "package.json"]) {
    await copyTree(join(REPOSITORY, "release/npm", name), path(name));
  }
  // The package contains the docs and the examples, because the README links to them.
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
    // With this setting, Deno resolves dynamic imports only when they run. The executable does not have it, because "deno
    // compile" would leave such modules out.
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

/** Returns the repository's address in the form of package.json. */
function toRepository(text: string): { type: "git"; url: string } {
  if (!/^https:\/\/[\w.-]+(\/[\w.-]+)+$/.test(text)) {
    throw new Error(`"${text}" is not the https address of a repository`);
  }
  return { type: "git", url: `git+${text.replace(/\.git$/, "")}.git` };
}

/** Packs the package into a file in `folder` and returns the file's path. Throws Error if npm fails. */
export async function packNpmPackage(directory: string, folder: string): Promise<string> {
  const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
  const result = await runCommand([
    ...[npm, "pack", "--json", "--ignore-scripts", "--offline", "--no-update-notifier"],
    ...["--pack-destination", folder],
  ], { cwd: directory });
  if (!result.success) throw new Error(`npm pack failed: ${lastOutput(result)}`);
  // npm prints either a list of packages or an object by package name.
  const [packed] = Object.values<{ filename: string; files: { path: string }[] }>(
    JSON.parse(result.stdout),
  );
  if (packed === undefined) throw new Error(`npm pack packed nothing: ${result.stdout}`);
  // Check the packed files, because npm's rules may exclude some files of the package.
  const inside = new Set(packed.files.map(({ path }) => path));
  const missing = (await filesBelow(directory)).map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !inside.has(file));
  if (missing.length > 0) throw new Error(`npm left out of the package: ${missing.join(", ")}`);
  return join(folder, packed.filename);
}
