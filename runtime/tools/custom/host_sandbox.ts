// The operating system's sandbox around a host process, whose tools are confined by Deno's permissions already: what those let
// through, such as a file that a compiled program's module loader reads, is not there.
import { dirname, join } from "node:path";
import type { Directories } from "../../config/directories.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { confineProgram } from "../processes/confined_program.ts";
import type { WorkerPermissions } from "./host_messages.ts";
import type { HostProgram } from "./host_program.ts";

/** What the sandbox of a host is made of. */
export interface HostSandboxOptions {
  sandbox: ProcessSandbox;
  host: HostProgram;
  /** The most that any worker in it gets. */
  permissions: WorkerPermissions;
  directories: Pick<Directories, "configDir" | "stateDir" | "agentsDir">;
}

/** The command of a host, in the sandbox. Throws ToolFailure. */
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
      // What other programs store.
      ...(cache === undefined ? [] : [join(cache, "location_data")]),
    ],
    // Which hosts is Deno's to watch: its permission names them.
    net: net.length > 0 ? "host" : "none",
  });
}

/** Where Deno keeps what it has translated, and packages: without it each start translates Inkling anew. */
function denoFolder(environment: Readonly<Record<string, string>>): string | undefined {
  const { DENO_DIR, XDG_CACHE_HOME, HOME } = environment;
  const cache = XDG_CACHE_HOME || (HOME ? join(HOME, ".cache") : undefined);
  return DENO_DIR || (cache === undefined ? undefined : join(cache, "deno"));
}
