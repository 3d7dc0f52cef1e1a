// How a host process is started: by which program, with which boundaries of its own, and with how small an environment.
import { dirname } from "node:path";
import { isWithin } from "../files/place.ts";
import { HOST_VARIABLE, type HostRole, type WorkerPermissions } from "./host_messages.ts";
import { mainModule, programConfig, workerFolder } from "../../../base/program_files.ts";
import { CERTIFICATE_VARIABLES } from "../../sandbox/certificates.ts";
import { denoCacheVariables } from "../../config/places.ts";
import { FLAGS_REMEDY } from "../../../base/denied_permission.ts";
import { ToolFailure } from "../tool_failure.ts";

/** Megabytes of objects that a tool may make before V8 ends its process. */
const HEAP_MB = 256;

/** The variables that describe the network. */
const NETWORK_VARIABLES = [
  ...[...CERTIFICATE_VARIABLES, "DENO_CERT", "DENO_TLS_CA_STORE"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/** The program that hosts: the compiled binary, or Deno with the source. */
export interface HostProgram {
  program: string;
  /** main.ts; absent for a compiled binary, whose permissions are built in. */
  main?: string;
}

/** What a host is started for. */
export interface HostStart {
  role: HostRole;
  /** The most that any worker in it will get. */
  permissions: WorkerPermissions;
  /** Read and written by nobody in it, whatever the permissions say. */
  closed: { read: readonly string[]; write: readonly string[] };
  /** What `Deno.args` will be. */
  args: readonly string[];
  /** Looks up a variable of the service's surroundings. */
  lookup(name: string): string | undefined;
  /** Variables that the worker may read. */
  variables: Readonly<Record<string, string>>;
}

/**
 * This very program. `program` is its path as it was at the start: where an update has replaced the file since, the
 * system would name one that is gone.
 */
export function ownProgram(program: string = Deno.execPath()): HostProgram {
  if (Deno.build.standalone) return { program };
  return { program, main: mainModule() };
}

/**
 * Arguments and environment of a host process. Decision: from source the process has flags as narrow as the worker's,
 * so that each boundary stands if the other falls; a compiled binary has what Inkling needs built in and gives up at its
 * start each kind of permission that its tool does not get, so that for the rest the worker is the only boundary. Throws
 * ToolFailure where this process may not do itself what the other should.
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
  // None of a tool's code is in it: it may load Inkling's own, packages included, and do nothing else.
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

/** A flag's list cannot hold a path with a comma: the nearest folder without one stands for it; the worker is exact. */
function withoutComma(path: string): string {
  return path.includes(",") ? withoutComma(dirname(path)) : path;
}

/** A denied folder cannot hold an allowed one, nor a comma; what is not denied here is not in the worker's lists either. */
function deniable(closed: readonly string[], allowed: readonly string[]): string[] {
  return closed.filter((path) =>
    !path.includes(",") && !allowed.some((one) => isWithin(one, path))
  );
}

// No process of a tool gets more than this process has itself. Deno does not see to that: a program that is started has
// the flags that it is started with.

/**
 * Throws ToolFailure for the first path or host that this process may not reach itself. Variables are not looked at: a
 * tool's process has none but those that it was given, most of them from environment files.
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
