// Builds the command of a host process: its program, its permission flags, its environment, and the sandbox around it.
import { dirname, join } from "../../../base/plain_path.ts";
import { isWithin } from "../files/place.ts";
import { HOST_VARIABLE, type HostRole, type WorkerPermissions } from "./host_messages.ts";
import {
  hostModule,
  programConfig,
  programFolder,
  workerFolder,
} from "../../../base/program_files.ts";
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import type { Directories } from "../../config/directories.ts";
import { denoCacheVariables } from "../../config/places.ts";
import { FLAGS_REMEDY, isPermitted } from "../../../base/denied_permission.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { confineProgram } from "../processes/confined_program.ts";

/** The heap limit of a host process in megabytes. V8 ends a process that exceeds it. */
const HEAP_MB = 256;

/** The environment variables that a process with network access gets: certificates and proxies. */
const NETWORK_VARIABLES = [
  ...[...CERTIFICATE_VARIABLES, "DENO_CERT", "DENO_TLS_CA_STORE"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/** The program of host processes: the compiled executable, or Deno with Inkling's source. */
export interface HostProgram {
  program: string;
  /** The path of the host's main module. Undefined for a compiled executable, which has its permissions built in. */
  main?: string;
}

/** The settings of a workspace with which its host processes start. */
export interface HostSettings {
  program: HostProgram;
  sandbox: ProcessSandbox;
  /** The directory of the custom tools, and the directories that tools and scripts must not use. */
  directories: Pick<
    Directories,
    "workspace" | "agentsDir" | "toolsDir" | "configDir" | "stateDir" | "workspaceEnvFile"
  >;
  /** Returns a variable from the environment files, else from the shell's environment, or undefined. */
  lookup(name: string): string | undefined;
}

/** A host process that runs tools or a script. */
export interface HostStart {
  role: "tools" | "script";
  /** All permissions that workers of the process may get. */
  permissions: WorkerPermissions;
  /** The variables that workers may read, with their values. */
  variables: Readonly<Record<string, string>>;
  cwd: string;
  /** The value of `Deno.args` in the process. */
  args?: readonly string[];
}

/**
 * Returns the program of host processes, which is the running program. `program` is its path at the start of the service.
 * After an update, Deno.execPath() would return a file that no longer exists.
 */
export function ownProgram(program: string = Deno.execPath()): HostProgram {
  if (Deno.build.standalone) return { program };
  return { program, main: hostModule() };
}

/**
 * Returns the command that starts a host process in the sandbox. Throws ToolFailure if the process needs a permission that
 * the service lacks, or cannot be put into the sandbox.
 *
 * Decision: Deno with Inkling's source gets flags as narrow as the worker's permissions, so that each of the two limits
 * holds if the other fails. A compiled executable starts with Inkling's permissions built in, and gives up each kind of
 * permission that its tools do not get. For the other kinds, the worker is the only limit. The sandbox also hides files to
 * which these permissions do not apply, such as files that an executable's module loader reads.
 */
export async function hostCommand(
  { program, directories, sandbox, lookup }: HostSettings,
  { role, permissions, variables, cwd, args = [] }: HostStart,
): Promise<SandboxedProgram> {
  requireOwnPermissions(permissions);
  const { configDir, stateDir, agentsDir } = directories;
  const { read, write, net } = permissions;
  const passed = net.length === 0 ? [] : NETWORK_VARIABLES.flatMap((name) => {
    const value = lookup(name);
    return value === undefined ? [] : [[name, value]];
  });
  const command = commandOf(program, {
    ...{ role, args, cwd, flags: sourceFlags(permissions, directories) },
    variables: { ...Object.fromEntries(passed), ...variables },
  });
  const cache = program.main === undefined ? undefined : denoFolder(command.environment);
  return await confineProgram(sandbox, command, {
    programs: [
      program.program,
      ...(program.main === undefined ? [] : [programFolder()]),
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
 * Returns the command that starts a host process without permissions. It runs no code of a tool, and may only load
 * Inkling's own code and its packages.
 */
export function closedHostCommand(
  program: HostProgram,
  { role, cwd }: { role: Exclude<HostRole, HostStart["role"]>; cwd: string },
): SandboxedProgram {
  const flags = [
    ...["--config", programConfig(), "--no-prompt", "--no-remote", "--frozen", "--cached-only"],
    ...[`--allow-read=${withoutComma(programFolder())}`, `--allow-env=${HOST_VARIABLE}`],
  ];
  return commandOf(program, { role, cwd, flags, args: [], variables: {} });
}

function commandOf(
  { program, main }: HostProgram,
  { role, flags, args, cwd, variables }: Omit<HostStart, "role" | "permissions"> & {
    role: HostRole;
    flags: readonly string[];
    args: readonly string[];
  },
): SandboxedProgram {
  const heap = `--v8-flags=--max-old-space-size=${HEAP_MB}`;
  return {
    program,
    args: main === undefined
      ? args
      : ["run", "--quiet", ...flags, "--unstable-worker-options", heap, main, ...args],
    cwd,
    environment: {
      ...denoCacheVariables(),
      ...variables,
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      [HOST_VARIABLE]: role,
    },
  };
}

function sourceFlags(
  { read, write, net, env }: WorkerPermissions,
  { configDir, stateDir, workspaceEnvFile, agentsDir }: HostSettings["directories"],
): string[] {
  // No worker may use these paths, even if the permissions contain them.
  const closed = [configDir, stateDir, workspaceEnvFile];
  return [
    ...["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"],
    ...flag("--allow-read", [workerFolder(), ...read].map(withoutComma)),
    ...flag("--allow-write", write.map(withoutComma)),
    ...flag("--allow-net", net),
    ...flag("--allow-env", [HOST_VARIABLE, ...env]),
    ...flag("--deny-read", deniable(closed, read)),
    ...flag("--deny-write", deniable([...closed, agentsDir], write)),
  ];
}

function flag(name: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`${name}=${[...new Set(values)].join(",")}`];
}

/**
 * Returns the path, or its nearest parent without a comma, because a list in a flag cannot contain a comma. The worker's
 * permissions contain the exact path.
 */
function withoutComma(path: string): string {
  return path.includes(",") ? withoutComma(dirname(path)) : path;
}

/**
 * Returns the paths that can be in a deny flag. Leaves out paths with a comma, and folders that contain an allowed path,
 * because a deny flag would close that path, too. The worker's permissions do not contain the closed paths in any case.
 */
function deniable(closed: readonly string[], allowed: readonly string[]): string[] {
  return closed.filter((path) =>
    !path.includes(",") && !allowed.some((one) => isWithin(one, path))
  );
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

// Deno does not limit the flags of a program that it starts. So requireOwnPermissions() checks that a tool's process gets
// no permission that the service lacks.

/**
 * Throws ToolFailure for the first path or host that the service itself may not use. Variables are not checked: a tool's
 * process gets only the variables in HostStart, most of them from environment files.
 */
function requireOwnPermissions({ read, write, net }: WorkerPermissions): void {
  for (const path of read) requireOwn({ name: "read", path }, path);
  for (const path of write) requireOwn({ name: "write", path }, path);
  for (const host of net) requireOwn({ name: "net", host }, host);
}

function requireOwn(descriptor: Deno.PermissionDescriptor, value: string): void {
  if (isPermitted(descriptor)) return;
  const { name } = descriptor;
  const first = name === "net" ? "name the host under http.allow in config.yaml, then " : "";
  throw new ToolFailure(
    `Cannot start the tool's process: it needs ${name} access to ${value}, and Inkling was started without ` +
      `--allow-${name}=${value}; ${first}${FLAGS_REMEDY}.`,
  );
}
