// Detects how this program was installed. `inkling update` depends on it.
import { programFolder } from "../../base/program_files.ts";

/**
 * The name of Inkling in npm's registry. It is undefined until the name is registered: before that, anybody could publish
 * another program under the name. Set it before the first `npm publish`.
 */
const PUBLISHED_PACKAGE: string | undefined = undefined;

/**
 * The kind and place of an installation: a compiled binary, an npm package in a node_modules folder, or a source checkout.
 * `isPublished` is true if the package of this name in npm's registry is Inkling.
 */
export type Distribution =
  | { kind: "binary"; path: string; target: string }
  | { kind: "npm"; packageName: string; directory: string; isPublished: boolean }
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
  const name = packageName.replace("\\", "/");
  return {
    kind: "npm",
    packageName: name,
    directory: packageDirectory,
    isPublished: name === PUBLISHED_PACKAGE,
  };
}

/** Returns the kind and place of the running program's installation. */
export function ownDistribution(): Distribution {
  const { standalone, target } = Deno.build;
  const execPath = Deno.execPath();
  // A compiled binary contains its source, so no source folder exists.
  if (standalone) return { kind: "binary", path: execPath, target };
  // `npm link` creates a symbolic link to a checkout. The real path identifies it as a checkout.
  return distributionOf(Deno.realPathSync(programFolder()));
}
