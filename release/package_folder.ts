// Reads the npm packages in a folder: the package.json and the license files of each.
import { join } from "node:path";

/** Matches the names of files with license terms. */
const LEGAL_FILE = /^(licen[cs]e|copying|copyright|notice)([.-][^.]*)?(\.(md|markdown|txt))?$/i;

/** A package in a node_modules folder. */
export interface PackageFolder {
  name: string;
  version: string;
  /** The license as in package.json: an SPDX expression, or the words of the author. */
  license: string;
  /** The names of the license and notice files. */
  legalTexts: readonly string[];
  /** The home page or the repository; empty if the package names neither. */
  home: string;
  directory: string;
}

/** Returns the packages of a node_modules folder in the order of their names, each followed by its nested packages. */
export async function packageFolders(nodeModules: string): Promise<PackageFolder[]> {
  const packages: PackageFolder[] = [];
  for (const name of await packageNames(nodeModules)) {
    const directory = join(nodeModules, name);
    packages.push(await readPackage(directory));
    packages.push(...await packageFolders(join(directory, "node_modules")));
  }
  return packages;
}

async function packageNames(nodeModules: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await visibleNames(nodeModules)) {
    if (!name.startsWith("@")) {
      names.push(name);
      continue;
    }
    for (const inner of await visibleNames(join(nodeModules, name))) {
      names.push(`${name}/${inner}`);
    }
  }
  return names.sort();
}

async function visibleNames(directory: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(directory));
    return entries.map(({ name }) => name).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function readPackage(directory: string): Promise<PackageFolder> {
  const path = join(directory, "package.json");
  const { name, version, license, homepage, repository } = JSON.parse(
    await Deno.readTextFile(path),
  );
  if (typeof name !== "string" || typeof version !== "string") {
    throw new Error(`${path} does not name a package and its version`);
  }
  return {
    name,
    version,
    license: licenseOf(license),
    legalTexts: await readLegalTexts(directory),
    home: String(homepage ?? repository?.url ?? repository ?? ""),
    directory,
  };
}

async function readLegalTexts(directory: string): Promise<string[]> {
  const names = (await visibleNames(directory)).filter((name) => LEGAL_FILE.test(name)).sort();
  return await Promise.all(names.map((name) => Deno.readTextFile(join(directory, name))));
}

/** Returns the license of a package.json. The field may have the old form `{"type": "MIT", "url": "…"}`. */
function licenseOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "type" in value) return String(value.type);
  return "not stated";
}
