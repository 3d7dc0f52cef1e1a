// Reads the npm packages of a lock file of Deno.

/** A package as the lock file describes it. */
export interface LockedPackage {
  /** The SHA-512 of the package's archive in hexadecimal. */
  sha512: string;
  /** The locked packages that this package needs, each as `name@version`. */
  dependencies: readonly string[];
}

/** Returns the packages of lock files, keyed by `name@version`. Throws Error for a checksum that is not a SHA-512. */
export async function readLockFiles(
  paths: readonly string[],
): Promise<ReadonlyMap<string, LockedPackage>> {
  const packages = new Map<string, LockedPackage>();
  for (const path of paths) {
    const { npm } = JSON.parse(await Deno.readTextFile(path));
    for (
      const [key, { integrity, dependencies = [], optionalDependencies = [] }] of Object.entries<
        { integrity: string; dependencies?: string[]; optionalDependencies?: string[] }
      >(npm)
    ) {
      const needed = [...dependencies, ...optionalDependencies];
      const [algorithm, hash = ""] = integrity.split("-");
      if (algorithm !== "sha512") throw new Error(`${path} has no SHA-512 of ${key}`);
      packages.set(withoutPeers(key), {
        sha512: Uint8Array.fromBase64(hash).toHex(),
        dependencies: needed.map((name) => withVersion(name, Object.keys(npm))),
      });
    }
  }
  return packages;
}

/**
 * Returns the `name@version` at the beginning of a key. The peer dependencies of the package follow after an underscore and
 * are cut off.
 */
function withoutPeers(key: string): string {
  return /^(@?[^@]+@[^_]+)/.exec(key)?.[1] ?? key;
}

/** Adds the version to the name of a dependency. The lock file omits it if only one version is locked. */
function withVersion(dependency: string, keys: readonly string[]): string {
  if (dependency.lastIndexOf("@") > 0) return withoutPeers(dependency);
  return withoutPeers(keys.find((key) => key.startsWith(`${dependency}@`)) ?? dependency);
}
