// The machines that there are executables for.

/** As Deno names them, and as `inkling update` looks for them. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/** One of the machines. */
export type Target = typeof TARGETS[number];

/** This machine. Throws Error when there are no executables for it. */
export function ownTarget(): Target {
  return parseTarget(Deno.build.target);
}

/** Throws Error for a text that does not name a target. */
export function parseTarget(text: string): Target {
  const target = TARGETS.find((one) => one === text);
  if (target !== undefined) return target;
  throw new Error(`There are no executables for ${text}, only for ${TARGETS.join(", ")}`);
}

/** The name of an executable on its machine. */
export function executableName(name: string, target: Target): string {
  return target.includes("windows") ? `${name}.exe` : name;
}

/** The name of an executable in a release. With the version in it, nobody is handed a cached older one under it. */
export function releaseFileName(
  name: string,
  options: { version: string; target: Target },
): string {
  return executableName(`${name}-${options.version}-${options.target}`, options.target);
}
