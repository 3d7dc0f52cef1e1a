// One executable: the runtime image with the program in it.
import { resolve } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { lastWords, runCommand } from "./command.ts";
import { MAIN, NAME, PAPERS, requirePinnedDeno, VERSION, WORKERS } from "./product.ts";
import { imageTrouble, RuntimeImageMissing } from "./runtime_image.ts";
import type { Target } from "./target.ts";

/**
 * How the executable differs from `deno run`:
 * - the permissions, each with its reason in cli/self_command.ts, are fixed in it.
 * - deny-import: what it is given is all the code that it has. `no-remote` and `frozen` are about compiling.
 * - unstable-worker-options: workers with narrower permissions, which custom tools and skill scripts run in.
 * - no-code-cache: it would lie in the temporary folder under a name that can be guessed, where another user may put
 *   one of his own before.
 * - app-name: what Deno would store for the program stays its own, whatever the file is called.
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

/** Deno would write down what this says now, and the executable would export telemetry wherever it runs. */
const NO_TELEMETRY = { OTEL_DENO: "false" };

/** Makes the executable at `output` from a stage. Throws RuntimeImageMissing, and Error for everything else. */
export async function compileExecutable(
  stage: string,
  { target, output }: { target: Target; output: string },
): Promise<void> {
  requirePinnedDeno();
  const result = await runCommand([
    ...[Deno.execPath(), "compile", "--quiet", ...COMPILE_FLAGS],
    // The folder of them brings the source maps, by which errors name the lines of the sources.
    ...[...WORKERS, "modules", ...PAPERS].flatMap((file) => ["--include", file]),
    ...["--target", target, "--output", resolve(output), MAIN],
  ], { cwd: stage, env: NO_TELEMETRY });
  if (result.success) return;
  const trouble = imageTrouble(result.stderr);
  if (trouble !== undefined) throw new RuntimeImageMissing(target, trouble);
  throw new Error(`No executable for ${target}: deno compile failed\n${lastWords(result)}`);
}

/** Throws Error when an executable for this machine does not start, or is another version. */
export async function requireWorking(executable: string): Promise<void> {
  let result;
  try {
    result = await runCommand([resolve(executable), "--version"], { cwd: "." });
  } catch (cause) {
    throw new Error(`${executable} does not start: ${cause}`, { cause });
  }
  if (result.success && result.stdout.trim() === VERSION) return;
  throw new Error(
    `${executable} does not work: asked for its version, ${VERSION}, it says ${lastWords(result)}`,
  );
}
