// The command line of a host process: its program, its permission flags, and its small environment.
import { dirname } from "node:path";
import { isWithin } from "../files/place.ts";
import { HOST_VARIABLE, type HostRole, type WorkerPermissions } from "./host_messages.ts";
import { mainModule, programConfig, workerFolder } from "../../../base/program_files.ts";
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";
import { denoCacheVariables } from "../../config/places.ts";
import { FLAGS_REMEDY } from "../../../base/denied_permission.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** The heap limit of a tool, in megabytes. V8 kills a process that exceeds it. */
const HEAP_MB = 256;

/** Variables for network access. */
const NETWORK_VARIABLES = [
  ...[...CERTIFICATE_VARIABLES, "DENO_CERT", "DENO_TLS_CA_STORE"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/** The program of a host: the compiled binary, or Deno with the source. */
export interface HostProgram {
  program: string;
  /** main.ts. Absent for a compiled binary, whose permissions are built in. */
  main?: string;
}

/** The start options of a host. */
export interface HostStart {
  role: HostRole;
  /** The union of the permissions of its workers. */
  permissions: WorkerPermissions;
  /** Paths that no worker may read or write, whatever the permissions contain. */
  closed: { read: readonly string[]; write: readonly string[] };
  /** The value of `Deno.args`. */
  args: readonly string[];
  /** Returns a variable of the service's environment. */
  lookup(name: string): string | undefined;
  /** Variables that the worker may read. */
  variables: Readonly<Record<string, string>>;
}

/**
 * Returns this program. `program` is its path at the start, because after an update the system would name a file that is
 * gone.
 */
export function ownProgram(program: string = Deno.execPath()): HostProgram {
  if (Deno.build.standalone) return { program };
  return { program, main: mainModule() };
}

/**
 * Returns the arguments and environment of a host process. Throws ToolFailure when the host needs a permission that this
 * process lacks.
 *
 * Decision: from source, the process gets flags as narrow as the worker's, so that each boundary holds if the other fails.
 * A compiled binary has Inkling's permissions built in. At its start it gives up each kind of permission that its tool does
 * not get; for the others the worker is the only boundary.
 */
export function hostCommand(
  { main }: HostProgram,
  start: HostStart,
): { args: string[]; environment: Record<string, string> } {
  const { permissions, lookup } = start;
  requireOwnPermissions(permissions);
  const network = permissions.net.length > 0 ? NETWORK_VARIABLES : [];
  return {
    args: main === undefined ? [...start.args] : [...flagsOf(start, main), main, ...start.args],
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

function flagsOf(start: HostStart, main: string): string[] {
  const heap = `--v8-flags=--max-old-space-size=${HEAP_MB}`;
  if (start.role === "tools" || start.role === "script") return [...sourceFlags(start), heap];
  const own = dirname(main);
  // It runs no code of a tool: it may only load Inkling's own code, packages included.
  return [
    ...["run", "--quiet", "--config", programConfig()],
    ...["--no-prompt", "--no-remote", "--frozen", "--cached-only", heap],
    "--unstable-worker-options",
    ...[`--allow-read=${withoutComma(own)}`, `--allow-env=${HOST_VARIABLE}`],
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
 * A flag's list cannot contain a path with a comma, so the nearest parent without one is used. The worker's list is exact.
 */
function withoutComma(path: string): string {
  return path.includes(",") ? withoutComma(dirname(path)) : path;
}

/** A denied folder can contain neither an allowed one nor a comma. Such a path is not in the worker's lists either. */
function deniable(closed: readonly string[], allowed: readonly string[]): string[] {
  return closed.filter((path) =>
    !path.includes(",") && !allowed.some((one) => isWithin(one, path))
  );
}

// A tool's process must not get more permissions than this process has. Deno does not ensure that: a started program gets
// the flags in its command line.

/**
 * Throws ToolFailure for the first path or host that this process may not reach itself. Variables are not checked: a tool's
 * process has only the given ones, most of them from environment files.
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
