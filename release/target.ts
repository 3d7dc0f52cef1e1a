// The machines that executables are built for.

/** The names that Deno and `inkling update` use. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/** One of the machines. */
export type Target = typeof TARGETS[number];

/** Returns this machine. Throws Error when no executables are built for it. */
export function ownTarget(): Target {
  return parseTarget(Deno.build.target);
}

/** Returns the target for a text. Throws Error for an unknown one. */
export function parseTarget(text: string): Target {
  const target = TARGETS.find((one) => one === text);
  if (target !== undefined) return target;
  throw new Error(`There are no executables for ${text}, only for ${TARGETS.join(", ")}`);
}

/** Returns the name of an executable on its machine. */
export function executableName(name: string, target: Target): string {
  return target.includes("windows") ? `${name}.exe` : name;
}

/**
 * Returns the name of an executable in a release. It contains the version, so that caches cannot deliver an older
 * one.
 */
export function releaseFileName(
  name: string,
  options: { version: string; target: Target },
): string {
  return executableName(`${name}-${options.version}-${options.target}`, options.target);
}
