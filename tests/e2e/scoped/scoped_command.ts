// Starts the program in end-to-end tests under the flags that it derives from config.yaml and the agents.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { programCommand } from "../../support/program.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { deriveFlags } from "../../../runtime/permissions/derive_flags.ts";
import { loadSettings } from "../../../runtime/config/settings.ts";

/** The working directory and the additional variables of a process. */
export interface ProcessSurroundings {
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/**
 * The commands that run with all permissions: `setup` writes the files from which flags are derived, `service` a unit, `update` writes the
 * program, `move-history` opens a database that its arguments name, and `new --from` writes cases and files. Further tests with all permissions: readme_test.ts
 * (a newcomer's commands), start_up_test.ts (replaced packages), relative_folders_test.ts (other current directory) and
 * release/ (the npm package).
 */
const WIDE: readonly (string | undefined)[] = ["setup", "service", "update", "move-history"];

/**
 * Returns the program and first arguments of a command, with the flags that `inkling permissions` prints now.
 * INKLING_TEST_FLAGS=full runs every test with all permissions instead.
 */
export async function scopedCommand(
  args: readonly string[],
  surroundings: ProcessSurroundings,
): Promise<string[]> {
  const isWide = WIDE.includes(args[0]) || args[0] === "new" && args.includes("--from");
  if (isWide || Deno.env.get("INKLING_TEST_FLAGS") === "full") {
    return programCommand();
  }
  const flags = await flagsFor(args, surroundings);
  if (flags === undefined) return programCommand();
  const isService = args[0] === "start" && !args.some((arg) => /^(-d|--daemon)$/.test(arg));
  // Commands except the service itself may start and stop a service, so they need --allow-run.
  return programCommand(isService ? flags : [...flags, "--allow-run"]);
}

/** Returns the derived flags, or undefined if none can be derived; then the command reports the problem. */
async function flagsFor(
  args: readonly string[],
  { env, cwd }: ProcessSurroundings,
): Promise<string[] | undefined> {
  const { workspace, host } = placeOf(args);
  const shell = { ...Deno.env.toObject(), ...env };
  const home = shell["HOME"] ?? "";
  if (home === "") return undefined;
  try {
    const settings = await loadSettings({
      shell,
      home,
      ...(workspace === undefined ? {} : { workspace: resolve(cwd, workspace) }),
    });
    const { flags } = await deriveFlags(settings, host === undefined ? {} : { host });
    return flags.map(({ flag }) => flag);
  } catch (error) {
    if (error instanceof RuntimeError) return undefined;
    throw error;
  }
}

/** Returns the arguments that select a service: the workspace and the host. */
function placeOf(args: readonly string[]): { workspace?: string; host?: string } {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: { workspace: { type: "string", short: "w" }, host: { type: "string" } },
  });
  const { workspace, host } = values;
  return {
    ...(typeof workspace === "string" && { workspace }),
    ...(typeof host === "string" && { host }),
  };
}
