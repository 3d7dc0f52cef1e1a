// The name of an npm package as a person types it: `name`, `@scope/name`, either with `@version`.

/** A package of the registry. */
export interface PackageName {
  name: string;
  /** A version, a range or a tag; absent: the newest. */
  version?: string;
}

const NAME =
  /^((?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)(?:@([0-9A-Za-z^~<>=*][0-9A-Za-z.+^~<>=*_-]*))?$/;

/** Undefined for what is no package of the registry: npm takes folders, addresses and more for packages. */
export function parsePackageName(text: string): PackageName | undefined {
  const [, name, version] = NAME.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(version !== undefined && { version }) };
}
