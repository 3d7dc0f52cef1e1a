// Builds the command line of a host process: its program, its permission flags, and its environment.
import { dirname } from "../../../base/plain_path.ts";
import { isWithin } from "../files/place.ts";
import { HOST_VARIABLE, type HostRole, type WorkerPermissions } from "./host_messages.ts";
import {
  hostModule,
  programConfig,
  programFolder,
  workerFolder,
} from "../../../base/program_files.ts";
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";
import { denoCacheVariables } from "../../config/places.ts";
import { FLAGS_REMEDY } from "../../../base/denied_permission.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

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

/** The options for starting a host process. */
export interface HostStart {
  role: HostRole;
  /** All permissions that workers of the process may get. */
  permissions: WorkerPermissions;
  /** The paths that no worker may read or write, even if `permissions` contains them. */
  closed: { read: readonly string[]; write: readonly string[] };
  /** The value of `Deno.args` in the process. */
  args: readonly string[];
  /** Returns an environment variable of the service, or undefined. */
  lookup(name: string): string | undefined;
  /** The variables that workers may read, with their values. */
  variables: Readonly<Record<string, string>>;
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
 * Returns the arguments and the environment of a host process. Throws ToolFailure if the process needs a permission that
 * the service lacks.
 *
 * Decision: Deno with Inkling's source gets flags as narrow as the worker's permissions, so that each of the two limits
 * holds if the other fails. A compiled executable starts with Inkling's permissions built in, and gives up each kind of
 * permission that its tools do not get. For the other kinds, the worker is the only limit.
 */
export function hostCommand(
  { main }: HostProgram,
  start: HostStart,
): { args: string[]; environment: Record<string, string> } {
  const { permissions, lookup } = start;
  requireOwnPermissions(permissions);
  const network = permissions.net.length > 0 ? NETWORK_VARIABLES : [];
  return {
    args: main === undefined ? [...start.args] : [...flagsOf(start), main, ...start.args],
    environment: {
      ...denoCacheVariables(),
      ...Object.fromEntries(network.flatMap((name) => {
        const value = lookup(name);
        return value === undefined ? [] : [[name, value]];
      })),
      ...start.variables,
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      [HOST_VARIABLE]: start.role,
    },
  };
}

function flagsOf(start: HostStart): string[] {
  const heap = `--v8-flags=--max-old-space-size=${HEAP_MB}`;
  if (start.role === "tools" || start.role === "script") return [...sourceFlags(start), heap];
  // These roles run no code of a tool. They may only load Inkling's own code and its packages.
  return [
    ...["run", "--quiet", "--config", programConfig()],
    ...["--no-prompt", "--no-remote", "--frozen", "--cached-only", heap],
    "--unstable-worker-options",
    ...[`--allow-read=${withoutComma(programFolder())}`, `--allow-env=${HOST_VARIABLE}`],
  ];
}

function sourceFlags({ permissions, closed }: HostStart): string[] {
  const { read, write, net, env } = permissions;
  return [
    "run",
    ...["--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"],
    "--unstable-worker-options",
    ...flag("--allow-read", [workerFolder(), ...read].map(withoutComma)),
    ...flag("--allow-write", write.map(withoutComma)),
    ...flag("--allow-net", net),
    ...flag("--allow-env", [HOST_VARIABLE, ...env]),
    ...flag("--deny-read", deniable(closed.read, read)),
    ...flag("--deny-write", deniable(closed.write, write)),
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
  if (Deno.permissions.querySync(descriptor).state === "granted") return;
  const { name } = descriptor;
  const first = name === "net" ? "name the host under http.allow in config.yaml, then " : "";
  throw new ToolFailure(
    `Cannot start the tool's process: it needs ${name} access to ${value}, and Inkling was started without ` +
      `--allow-${name}=${value}; ${first}${FLAGS_REMEDY}.`,
  );
}
