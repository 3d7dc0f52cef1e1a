// Defines the machines for which executables are built.

/** The names of the machines, as Deno and `inkling update` use them. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/** The name of a machine: system and processor. */
export type Target = typeof TARGETS[number];

/** Returns the name of this machine. Throws Error if no executables are built for it. */
export function ownTarget(): Target {
  return parseTarget(Deno.build.target);
}

/** Returns the text as the name of a machine. Throws Error for an unknown name. */
export function parseTarget(text: string): Target {
  const target = TARGETS.find((one) => one === text);
  if (target !== undefined) return target;
  throw new Error(`There are no executables for ${text}, only for ${TARGETS.join(", ")}`);
}

/** Returns the file name of an installed executable, which ends with `.exe` on Windows. */
export function executableName(name: string, target: Target): string {
  return target.includes("windows") ? `${name}.exe` : name;
}

/**
 * Returns the file name of an executable in a release. It contains the version, so that a cache cannot deliver an older
 * executable.
 */
export function releaseFileName(
  name: string,
  options: { version: string; target: Target },
): string {
  return executableName(`${name}-${options.version}-${options.target}`, options.target);
}
