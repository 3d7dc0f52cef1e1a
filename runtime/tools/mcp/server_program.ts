// Starts an MCP server's program in its own process group and in the sandbox.
import { join } from "../../../base/plain_path.ts";
import { describeDenied } from "../../../base/denied_permission.ts";
import { ifThere } from "../../../base/files/missing.ts";
import { unreadableReason } from "../../../base/files/unreadable.ts";
import {
  type ProxyRoute,
  type SandboxedProgram,
  SandboxFailure,
} from "../../sandbox/sandbox_rules.ts";
import type { ProxyGrant } from "../http/forward_proxy.ts";
import {
  type ProcessGroup,
  spawnGroup,
  WatchFailure,
} from "../../../base/programs/process_group.ts";
import { type ServerConfinement, serverRules } from "./server_sandbox.ts";
import { describeMissingCommand, type ServerProgram } from "./servers_file/server_definition.ts";

/** Error: a server's program did not start. The message is a clause. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/** A started program. */
export interface StartedServer {
  group: ProcessGroup;
  /** The hosts that the sandbox refused. */
  refusedHosts: Set<string>;
  /** Ends the program's access to the network. Call it after the program has ended. */
  closeNetwork(): void;
}

/** Starts the program of an MCP server. Throws StartFailure. */
export async function startServer(
  program: ServerProgram,
  confinement: ServerConfinement,
): Promise<StartedServer> {
  if (program.startsInOwnFolder) makeFolder(program.cwd);
  const refusedHosts = new Set<string>();
  let grant: ProxyGrant | undefined;
  const openProxy = (): ProxyRoute => {
    const hosts = program.sandbox?.net ?? [];
    grant = confinement.proxy.admit(hosts, (host) => refusedHosts.add(host));
    return grant.route;
  };
  try {
    const confined = await confine(program, { ...confinement, openProxy });
    const group = spawnGroup(confined.program, { ...confined, stdin: "piped" });
    return { group, refusedHosts, closeNetwork: () => grant?.close() };
  } catch (error) {
    grant?.close();
    if (error instanceof StartFailure) throw error;
    if (error instanceof WatchFailure) {
      await error.released;
      throw new StartFailure(error.message, { cause: error });
    }
    throw new StartFailure(startProblem(error, program), { cause: error });
  }
}

/**
 * Returns the command that runs the program in the sandbox. Returns the unchanged command if the entry disables the
 * sandbox. Throws StartFailure.
 */
async function confine(
  program: ServerProgram,
  { sandbox: wall, ...places }: ServerConfinement & { openProxy(): ProxyRoute },
): Promise<SandboxedProgram> {
  const { command, args, env, cwd, ownFolder, sandbox } = program;
  const started = { program: command, args, cwd, environment: env };
  if (sandbox === null) {
    if (!wall.isRequired) return started;
    const problem = 'its entry says "sandbox": false, and config.yaml says "sandbox: required"';
    throw new StartFailure(problem);
  }
  const ownHome = join(ownFolder, "home");
  try {
    // The folder is created before the program runs, so that the program cannot put a symlink in its place.
    if (wall.isWanted) makeFolder(ownHome);
    const rules = serverRules(program, sandbox, { ...places, ownHome });
    const confined = await wall.confine(started, rules);
    if (confined !== started && !ifThere(() => Deno.statSync(cwd))?.isDirectory) {
      throw new StartFailure(`its folder ${cwd} does not exist`);
    }
    return confined;
  } catch (error) {
    if (error instanceof SandboxFailure) {
      const reason = error.kind === "program_missing"
        ? describeMissingCommand({ command, cwd })
        : error.message.replace(/\.$/, "");
      throw new StartFailure(reason, { cause: error });
    }
    const denied = describeDenied(error);
    if (denied === undefined) throw error;
    throw new StartFailure(`it cannot be put into the sandbox: ${denied}`, { cause: error });
  }
}

function makeFolder(path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(`its folder ${path} cannot be created: ${unreadableReason(error)}`, {
      cause: error,
    });
  }
}

function startProblem(error: unknown, { command, cwd }: ServerProgram): string {
  if (error instanceof Deno.errors.NotFound) {
    return error.message.includes("No such cwd")
      ? `its folder ${cwd} does not exist`
      : describeMissingCommand({ command, cwd });
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return `its command ${command} may not be executed`;
  }
  const denied = describeDenied(error);
  return `its command ${command} cannot be started${denied === undefined ? "" : `: ${denied}`}`;
}
