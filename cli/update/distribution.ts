// How this program came to this machine: that decides who can bring a newer one.

/** A compiled binary; a package in npm's global folder, or some other node_modules; a checkout of the sources. */
export type Distribution =
  | { kind: "binary"; path: string; target: string }
  | { kind: "npm"; packageName: string; directory: string }
  | { kind: "source"; directory: string };

/**
 * The way by which sources in a folder (that of main.ts) came there. No variable is asked: the environment is handed on
 * to the service and to what agents start, and may name an installation that this program is not.
 */
export function distributionOf(directory: string): Exclude<Distribution, { kind: "binary" }> {
  // `…/node_modules/name/…` or `…/node_modules/@scope/name/…`; the innermost one is the package itself.
  const found = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/@]+))(?:[\\/]|$)/.exec(
    directory,
  );
  const [, packageDirectory, packageName] = found ?? [];
  if (packageDirectory === undefined || packageName === undefined) {
    return { kind: "source", directory };
  }
  return {
    kind: "npm",
    packageName: packageName.replace("\\", "/"),
    directory: packageDirectory,
  };
}

/** How the program that is running came here. */
export function ownDistribution(): Distribution {
  const { standalone, target } = Deno.build;
  const execPath = Deno.execPath();
  // The sources of a binary are in no folder on the disk.
  if (standalone) return { kind: "binary", path: execPath, target };
  // A checkout that `npm link` shows to npm is a checkout.
  return distributionOf(Deno.realPathSync(`${import.meta.dirname}/../..`));
}
