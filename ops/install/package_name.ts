// Parses the names of packages of npm (`name` or `@scope/name`) and PyPI, with an optional version. Contains the types of
// an installation.
import { NotInstalled } from "./not_installed.ts";

/** A package name with an optional version. */
export interface PackageName {
  name: string;
  /** A version, a range or a tag. The newest version if absent. */
  version?: string;
}

/** An installed package. */
export interface InstalledPackage {
  /** The package as `npm:name@version` or `pypi:name@version`, with the digest of its archive. */
  pinned: string;
  /** The number of installed dependencies. */
  others: number;
  /** The program that starts the server. */
  command: string;
  args: string[];
  /** The environment variables that the server needs, with their values. */
  env?: Record<string, string>;
}

/** The empty folder that a package is installed into (`fresh`), and the folder that it is moved to. */
export type InstallFolders = Record<"fresh" | "folder", string>;

/** The names of packages, each with an optional version: `name@version`, or for PyPI also `name==version`. */
const NAMES = {
  npm:
    /^((?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)(?:@([0-9A-Za-z^~<>=*][0-9A-Za-z.+^~<>=*_-]*))?$/,
  pypi: /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:(?:@|==)([0-9A-Za-z.!+_-]+))?$/,
};

const FORMS = {
  npm: "npm:name, npm:@scope/name, each with @version",
  pypi: "pypi:name, or pypi:name@version",
};

/**
 * Returns the package of a source such as `npm:name`. Undefined for a source without the registry's prefix. Throws
 * NotInstalled for any other text after it, because npm and pip would also accept folders and addresses.
 */
export function readPackageName(
  source: string,
  registry: keyof typeof NAMES,
): PackageName | undefined {
  if (!source.startsWith(`${registry}:`)) return undefined;
  const [, name, version] = NAMES[registry].exec(source.slice(registry.length + 1)) ?? [];
  if (name !== undefined) return { name, ...(version !== undefined && { version }) };
  throw new NotInstalled(`${JSON.stringify(source)} names no package: ${FORMS[registry]}`);
}
