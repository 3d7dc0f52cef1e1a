// How this program came to this machine: that decides who can bring a newer one.
import { programFolder } from "../../base/program_files.ts";

/**
 * The name under which npm's registry has Inkling. Undefined until the name is ours: whoever registers it first could hand
 * any program to everybody who updates. To be set before the first `npm publish`.
 */
const PUBLISHED_PACKAGE: string | undefined = undefined;

/**
 * A compiled binary; a package in npm's global folder, or some other node_modules (`isPublished`: what npm's registry has
 * under its name is Inkling); a checkout of the sources.
 */
export type Distribution =
  | { kind: "binary"; path: string; target: string }
  | { kind: "npm"; packageName: string; directory: string; isPublished: boolean }
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
  const name = packageName.replace("\\", "/");
  return {
    kind: "npm",
    packageName: name,
    directory: packageDirectory,
    isPublished: name === PUBLISHED_PACKAGE,
  };
}

/** How the program that is running came here. */
export function ownDistribution(): Distribution {
  const { standalone, target } = Deno.build;
  const execPath = Deno.execPath();
  // The sources of a binary are in no folder on the disk.
  if (standalone) return { kind: "binary", path: execPath, target };
  // A checkout that `npm link` shows to npm is a checkout.
  return distributionOf(Deno.realPathSync(programFolder()));
}
