// Builds an executable, which is Deno's runtime image with the program in it.
import { resolve } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { lastOutput, runCommand } from "./command.ts";
import {
  GALLERY,
  LEGAL_FILES,
  MAIN,
  NAME,
  requirePinnedDeno,
  VERSION,
  WORKERS,
} from "./product.ts";
import { missingImageReason, RuntimeImageMissing } from "./runtime_image.ts";
import type { Target } from "./target.ts";

/**
 * The differences of the executable to `deno run`:
 * - the permissions are fixed; cli/self_command.ts gives the reason for each.
 * - deny-import: all code is included. `no-remote` and `frozen` concern only compiling.
 * - unstable-worker-options: workers with narrower permissions run custom tools and skill scripts.
 * - no-code-cache: another user could place a file under its guessable name in the temporary folder.
 * - app-name: Deno's stored data stays the program's own under any file name.
 * - no-check: the types were checked with the sources.
 */
export const COMPILE_FLAGS: readonly string[] = [
  ...PERMISSION_FLAGS,
  "--deny-import",
  "--unstable-worker-options",
  "--no-code-cache",
  `--app-name=${NAME}`,
  "--no-check",
];

/**
 * The environment of `deno compile`. Deno stores the value of OTEL_DENO in the executable. If the value were `true`, the
 * executable would export telemetry for every user.
 */
const NO_TELEMETRY = { OTEL_DENO: "false" };

/**
 * Builds the executable at `output` from a stage. Throws RuntimeImageMissing if the image cannot be downloaded, or Error
 * for any other failure.
 */
export async function compileExecutable(
  stage: string,
  { target, output }: { target: Target; output: string },
): Promise<void> {
  requirePinnedDeno();
  const result = await runCommand([
    ...[Deno.execPath(), "compile", "--quiet", ...COMPILE_FLAGS],
    // Include the folder `modules`, because its source maps make errors name the lines of the sources.
    ...[...WORKERS, "modules", GALLERY, ...LEGAL_FILES].flatMap((file) => ["--include", file]),
    ...["--target", target, "--output", resolve(output), MAIN],
  ], { cwd: stage, env: NO_TELEMETRY });
  if (result.success) return;
  const trouble = missingImageReason(result.stderr);
  if (trouble !== undefined) throw new RuntimeImageMissing(target, trouble);
  throw new Error(`No executable for ${target}: deno compile failed\n${lastOutput(result)}`);
}

/** Throws Error if an executable for this machine does not start or prints another version. */
export async function requireWorking(executable: string): Promise<void> {
  let result;
  try {
    result = await runCommand([resolve(executable), "--version"], { cwd: "." });
  } catch (cause) {
    throw new Error(`${executable} does not start: ${cause}`, { cause });
  }
  if (result.success && result.stdout.trim() === VERSION) return;
  throw new Error(
    `${executable} does not work: asked for its version, ${VERSION}, it says ${lastOutput(result)}`,
  );
}
