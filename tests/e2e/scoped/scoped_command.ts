// The program as end-to-end tests start it: under the flags that it derives itself from config.yaml and the agents.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { programCommand } from "../../support/program.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { deriveFlags } from "../../../runtime/permissions/derive_flags.ts";
import { loadSettings } from "../../../runtime/config/settings.ts";

/** What a process is started in; `env` is added to the variables of this process. */
export interface ProcessSurroundings {
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/**
 * Commands that run with all that Inkling may ever need, because they write what flags are derived from, or the program
 * itself, or reach a database that is on their command line alone. The other tests of the wide mode bring a command of their own: readme_test.ts (what a newcomer types),
 * start_up_test.ts (its packages are poisoned), relative_folders_test.ts (its places depend on the current directory) and
 * release/ (the npm package).
 */
const WIDE: readonly (string | undefined)[] = ["setup", "update", "move-history"];

/**
 * Program and first arguments for a command line, with the flags that `inkling permissions` prints at this moment.
 * INKLING_TEST_FLAGS=full has every test run in the wide mode instead.
 */
export async function scopedCommand(
  args: readonly string[],
  surroundings: ProcessSurroundings,
): Promise<string[]> {
  if (WIDE.includes(args[0]) || Deno.env.get("INKLING_TEST_FLAGS") === "full") {
    return programCommand();
  }
  const flags = await flagsFor(args, surroundings);
  if (flags === undefined) return programCommand();
  const isService = args[0] === "start" && !args.some((arg) => /^(-d|--daemon)$/.test(arg));
  // Every other command may start the service, or end it.
  return programCommand(isService ? flags : [...flags, "--allow-run"]);
}

/** Undefined where nothing can be derived, which the command is about to say itself. */
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

/** What of a command line says which service is meant. */
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
