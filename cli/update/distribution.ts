// How this program came to this machine: that decides who can bring a newer one.
import { fileURLToPath } from "node:url";

/** A compiled binary; a package in npm's global folder, or some other node_modules; a checkout of the sources. */
export type Distribution =
  | { kind: "binary"; path: string; target: string }
  | { kind: "npm"; packageName: string; directory: string }
  | { kind: "source"; directory: string };

/** What tells them apart. */
export interface DistributionSigns {
  /** Whether the sources are part of the executable. */
  standalone: boolean;
  execPath: string;
  /** `x86_64-unknown-linux-gnu`. */
  target: string;
  /** The folder that holds main.ts. */
  directory: string;
}

/**
 * The way that these signs speak of. No variable is asked: the environment is handed on to the service and to what
 * agents start, and may name an installation that this program is not.
 */
export function distributionOf(signs: DistributionSigns): Distribution {
  const { standalone, execPath, target, directory } = signs;
  if (standalone) return { kind: "binary", path: execPath, target };
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
  return distributionOf({
    standalone: Deno.build.standalone,
    execPath: Deno.execPath(),
    target: Deno.build.target,
    directory: fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, ""),
  });
}
