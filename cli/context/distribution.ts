// Detects the kind of this installation, which determines its update.
import { programFolder } from "../../base/program_files.ts";

/**
 * The name of Inkling in npm's registry. Undefined until the name is registered, because anybody could register it and
 * distribute another program. Set it before the first `npm publish`.
 */
const PUBLISHED_PACKAGE: string | undefined = undefined;

/**
 * A compiled binary, an npm package in a node_modules folder, or a checkout of the source. `isPublished`: the package with
 * this name in npm's registry is Inkling.
 */
export type Distribution =
  | { kind: "binary"; path: string; target: string }
  | { kind: "npm"; packageName: string; directory: string; isPublished: boolean }
  | { kind: "source"; directory: string };

/**
 * Returns the installation of the source in a folder (that of main.ts). It reads no variables, because child processes
 * inherit the environment of another installation.
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
  const name = packageName.replace("\\", "/");
  return {
    kind: "npm",
    packageName: name,
    directory: packageDirectory,
    isPublished: name === PUBLISHED_PACKAGE,
  };
}

/** Returns the installation of the running program. */
export function ownDistribution(): Distribution {
  const { standalone, target } = Deno.build;
  const execPath = Deno.execPath();
  // The source of a binary is not on the disk.
  if (standalone) return { kind: "binary", path: execPath, target };
  // A checkout that `npm link` has linked is a checkout.
  return distributionOf(Deno.realPathSync(programFolder()));
}
