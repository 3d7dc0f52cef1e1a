// The operating system's sandbox around a host process. Deno's permissions confine its tools already; the sandbox also
// hides files that those do not cover, such as files that a compiled program's module loader reads.
import { dirname, join } from "node:path";
import type { Directories } from "../../config/directories.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { confineProgram } from "../processes/confined_program.ts";
import type { WorkerPermissions } from "./host_messages.ts";
import type { HostProgram } from "./host_program.ts";

/** The options of a host's sandbox. */
export interface HostSandboxOptions {
  sandbox: ProcessSandbox;
  host: HostProgram;
  /** The union of the permissions of its workers. */
  permissions: WorkerPermissions;
  directories: Pick<Directories, "configDir" | "stateDir" | "agentsDir">;
}

/** Returns a host's command in the sandbox. Throws ToolFailure. */
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
      ...(main === undefined ? [] : [dirname(main)]),
      ...(cache === undefined ? [] : [cache]),
    ],
    read,
    write,
    closed: [
      ...[configDir, stateDir, agentsDir],
      // Data of other programs.
      ...(cache === undefined ? [] : [join(cache, "location_data")]),
    ],
    // Deno's own permission limits the hosts.
    net: net.length > 0 ? "host" : "none",
  });
}

/** Returns Deno's cache folder with compiled code and packages. Without it each start compiles Inkling again. */
function denoFolder(environment: Readonly<Record<string, string>>): string | undefined {
  const { DENO_DIR, XDG_CACHE_HOME, HOME } = environment;
  const cache = XDG_CACHE_HOME || (HOME ? join(HOME, ".cache") : undefined);
  return DENO_DIR || (cache === undefined ? undefined : join(cache, "deno"));
}
