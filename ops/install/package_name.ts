// The name of an npm package as a person types it (`name`, `@scope/name`, either with `@version`), and a package that is installed.

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
  /** How many other packages came with it. */
  others: number;
  /** What starts it. */
  command: string;
  args: string[];
  /** Variables that it needs, with their values. */
  env?: Record<string, string>;
}

/** Where a package is installed, and where it is moved to then. */
export interface InstallFolders {
  /** Empty. */
  fresh: string;
  folder: string;
}

const NAME =
  /^((?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)(?:@([0-9A-Za-z^~<>=*][0-9A-Za-z.+^~<>=*_-]*))?$/;

/** Undefined for what is no package of the registry: npm takes folders, addresses and more for packages. */
export function parsePackageName(text: string): PackageName | undefined {
  const [, name, version] = NAME.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(version !== undefined && { version }) };
}
