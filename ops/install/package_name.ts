// Parses the names of packages of npm (`name` or `@scope/name`) and PyPI, with an optional version. Contains the types of
// an installation.

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

/** The folder that a package is installed into, and the folder that it is moved to. */
export interface InstallFolders {
  /** The empty folder that npm installs into. */
  fresh: string;
  folder: string;
}

/** The names of packages, each with an optional version: `name@version`, or for PyPI also `name==version`. */
const NAMES = {
  npm:
    /^((?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)(?:@([0-9A-Za-z^~<>=*][0-9A-Za-z.+^~<>=*_-]*))?$/,
  pypi: /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:(?:@|==)([0-9A-Za-z.!+_-]+))?$/,
};

/**
 * Parses a package name. Returns undefined for any other text, because npm and pip would also accept folders and addresses.
 */
export function parsePackageName(
  text: string,
  registry: keyof typeof NAMES = "npm",
): PackageName | undefined {
  const [, name, version] = NAMES[registry].exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(version !== undefined && { version }) };
}
