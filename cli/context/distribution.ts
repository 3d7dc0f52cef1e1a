// Detects how this program was installed. `inkling update` depends on it.
import { programFolder } from "../../base/program_files.ts";

/**
 * The public keys of minisign that sign releases, each as one line of base64. A build fills them in from
 * release/minisign.pub. Without a key, `inkling update` compares checksums only.
 */
const RELEASE_KEYS: readonly string[] = [];

/**
 * The kind and place of an installation: a compiled binary, an npm package in a node_modules folder, or a source checkout.
 * `keys` are the keys that sign releases.
 */
export type Distribution =
  | { kind: "binary"; path: string; target: string; keys: readonly string[] }
  | { kind: "npm"; packageName: string; directory: string }
  | { kind: "source"; directory: string };

/**
 * Returns the kind of the installation whose main.ts is in `directory`. Reads no environment variables, because a child
 * process inherits the variables of its parent's installation.
 */
export function distributionOf(directory: string): Exclude<Distribution, { kind: "binary" }> {
  // Matches `…/node_modules/name/…` and `…/node_modules/@scope/name/…`. If several folders match, the innermost is the
  // package.
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

/** Returns the kind and place of the running program's installation. */
export function ownDistribution(): Distribution {
  const { standalone, target } = Deno.build;
  const execPath = Deno.execPath();
  // A compiled binary contains its source, so no source folder exists.
  if (standalone) return { kind: "binary", path: execPath, target, keys: RELEASE_KEYS };
  // `npm link` creates a symbolic link to a checkout. The real path identifies it as a checkout.
  return distributionOf(Deno.realPathSync(programFolder()));
}
