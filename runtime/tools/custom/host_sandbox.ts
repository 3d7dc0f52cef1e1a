// Puts a host process into the operating system's sandbox. Deno's permissions limit the tools already. The sandbox also
// hides files to which these permissions do not apply, such as files that a compiled program's module loader reads.
import { join } from "../../../base/plain_path.ts";
import { programFolder } from "../../../base/program_files.ts";
import type { Directories } from "../../config/directories.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { confineProgram } from "../processes/confined_program.ts";
import type { WorkerPermissions } from "./host_messages.ts";
import type { HostProgram } from "./host_program.ts";

/** The options of confineHost(). */
export interface HostSandboxOptions {
  sandbox: ProcessSandbox;
  host: HostProgram;
  /** All permissions that workers of the process may get. */
  permissions: WorkerPermissions;
  directories: Pick<Directories, "configDir" | "stateDir" | "agentsDir">;
}

/** Returns the command that starts the host process in the sandbox. Throws ToolFailure. */
export async function confineHost(
  command: Omit<SandboxedProgram, "program">,
  { sandbox, host: { program, main }, permissions, directories }: HostSandboxOptions,
): Promise<SandboxedProgram> {
  const { configDir, stateDir, agentsDir } = directories;
  const { read, write, net } = permissions;
  const cache = main === undefined ? undefined : denoFolder(command.environment);
  return await confineProgram(sandbox, { ...command, program }, {
    programs: [
      program,
      ...(main === undefined ? [] : [programFolder()]),
      ...(cache === undefined ? [] : [cache]),
    ],
    read,
    write,
    closed: [
      ...[configDir, stateDir, agentsDir],
      // Deno's folder is readable, but not this part of it: other programs store their data there with Deno.
      ...(cache === undefined ? [] : [join(cache, "location_data")]),
    ],
    // Deno's permissions limit the hosts that a tool may connect to.
    net: net.length > 0 ? "host" : "none",
  });
}

/**
 * Returns Deno's folder for compiled code and packages, or undefined. Without access to it, each start of a process
 * compiles Inkling again.
 */
function denoFolder(environment: Readonly<Record<string, string>>): string | undefined {
  const { DENO_DIR, XDG_CACHE_HOME, HOME } = environment;
  const cache = XDG_CACHE_HOME || (HOME ? join(HOME, ".cache") : undefined);
  return DENO_DIR || (cache === undefined ? undefined : join(cache, "deno"));
}
