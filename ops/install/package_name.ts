// Parses the name of an npm package as a person types it (`name`, `@scope/name`, either with `@version`). Also the
// type of an installed package.

/** A package of the registry. */
export interface PackageName {
  name: string;
  /** A version, a range or a tag; absent: the newest. */
  version?: string;
}

/** An installed package. */
export interface InstalledPackage {
  /** `npm:name@version` or `pypi:name@version`, with the digest of its archive. */
  pinned: string;
  /** The number of other packages that were installed with it. */
  others: number;
  /** The program that starts it. */
  command: string;
  args: string[];
  /** The variables that it needs, with their values. */
  env?: Record<string, string>;
}

/** The folder that a package is installed into, and its final place. */
export interface InstallFolders {
  /** The empty folder that npm installs into. */
  fresh: string;
  folder: string;
}

const NAME =
  /^((?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)(?:@([0-9A-Za-z^~<>=*][0-9A-Za-z.+^~<>=*_-]*))?$/;

/** Parses a package name. Returns undefined for any other text: npm would also accept folders and addresses. */
export function parsePackageName(text: string): PackageName | undefined {
  const [, name, version] = NAME.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(version !== undefined && { version }) };
}
