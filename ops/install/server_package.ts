// Installs an MCP server and its dependencies from npm, at exact versions, into one folder. Runs none of the packages'
// code.
import { join } from "../../base/plain_path.ts";
import { z } from "zod";
import { ignoreMissing } from "../../base/files/missing.ts";
import { isWholeJson } from "../../base/json.ts";
import { type FetchContext, npmFlags, runFetch } from "./fetch_program.ts";
import { NotInstalled } from "./not_installed.ts";
import type { InstalledPackage, InstallFolders, PackageName } from "./package_name.ts";
import { pythonSource } from "./python_package.ts";

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string(), integrity: z.string() }).partial(),
  ),
});
/**
 * The part of package.json that is read. With --save-exact, npm writes the exact version of the installed package there.
 */
const rootSchema = z.object({ dependencies: z.record(z.string(), z.string()) });
const packageSchema = z.object({
  bin: z.union([z.string(), z.record(z.string(), z.string())]),
});

/** Installs a package and its dependencies. Throws NotInstalled, or rethrows the signal's reason. */
export async function installPackage(
  { name, version }: PackageName,
  { fresh, folder }: InstallFolders,
  context: FetchContext,
): Promise<InstalledPackage> {
  const wanted = version === undefined ? name : `${name}@${version}`;
  await Deno.writeTextFile(join(fresh, "package.json"), '{ "private": true }\n');
  // --prefix comes after the flags of npmFlags() because npm uses the last of two equal flags.
  const flags = [...npmFlags(context.staging), `--prefix=${fresh}`, "--save-exact", "--omit=dev"];
  await runFetch("npm", ["install", ...flags, "--", wanted], { ...context, staging: fresh });
  const lock = lockSchema.safeParse(await readJson(join(fresh, "package-lock.json")));
  const { packages } = lock.data ?? { packages: {} };
  const found = packages[`node_modules/${name}`];
  if (found?.version === undefined || found.integrity === undefined) {
    throw new NotInstalled("npm did not report the version that it installed");
  }
  const inside = join("node_modules", name);
  const { data } = packageSchema.safeParse(await readJson(join(fresh, inside, "package.json")));
  const program = data && programOf(data.bin, name);
  const path = program && join(inside, program);
  if (path === undefined || !path.startsWith(`${inside}/`)) {
    throw new NotInstalled(`The package ${name} has no program to start`);
  }
  return {
    pinned: `npm:${name}@${found.version} ${found.integrity}`,
    others: Object.keys(packages).filter((one) => one !== "").length - 1,
    command: "node",
    args: [join(folder, path)],
  };
}

/** The names of all files and folders that `mcp add` creates in a server's folder. */
const OWN_FILES = ["package.json", "package-lock.json", "node_modules", "pyproject.toml", "lib"];

/**
 * Returns `npm:name@version` or `pypi:name@version` for the package in a folder that `mcp add` created. Undefined for any
 * other folder.
 */
export async function installedSource(folder: string): Promise<string | undefined> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing) ?? [];
  if (entries.length === 0 || entries.some(({ name }) => !OWN_FILES.includes(name))) return;
  const wanted = rootSchema.safeParse(await readJson(join(folder, "package.json")));
  const [name] = Object.keys(wanted.data?.dependencies ?? {});
  if (name !== undefined) return `npm:${name}@${wanted.data?.dependencies[name]}`;
  return await pythonSource(folder);
}

/**
 * Returns the path of the program with the package's name, or else of the first program. Undefined if there is no program.
 */
function programOf(bin: string | Record<string, string>, name: string): string | undefined {
  if (typeof bin === "string") return bin;
  const own = name.split("/").at(-1) ?? "";
  return Object.hasOwn(bin, own) ? bin[own] : Object.values(bin)[0];
}

async function readJson(path: string): Promise<unknown> {
  const text = await Deno.readTextFile(path).catch(ignoreMissing) ?? "";
  return isWholeJson(text) ? JSON.parse(text) : undefined;
}
