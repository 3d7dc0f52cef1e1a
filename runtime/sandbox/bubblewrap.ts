// Builds the command line of bubblewrap, which starts a program in an empty system and mounts the permitted paths into it.
//
// Decision: bubblewrap is called directly. Distributions package this one program, and a list of mounts is sufficient
// (rejected: @anthropic-ai/sandbox-runtime 0.0.83, which calls the same program but needs a quoted shell command, socat,
// ripgrep, a proxy that can open TLS, and four packages; it also mounts the whole file system read-only and then excludes
// paths, while here only named paths exist).
import { isBelow } from "../../base/files/path_below.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { isMissing } from "../../base/files/missing.ts";
import { BASE_SYSTEM, programFolders } from "./base_system.ts";
import { certificateFiles } from "./certificates.ts";
import {
  findEnvFiles,
  type ProxyRoute,
  type SandboxedProgram,
  type SandboxRules,
} from "./sandbox_rules.ts";
import { secretPlaces } from "./secret_places.ts";

/** The bubblewrap program of this system and its abilities. */
export interface Bubblewrap {
  /** The absolute path of the program. */
  program: string;
  /** True if bubblewrap can forbid nested user namespaces. */
  disablesNamespaces: boolean;
  /** True if `env` can restore the default handling of a signal that a parent ignores. */
  restoresSignals: boolean;
  /** True if the kernel counts a sandbox's processes apart from the user's other processes. */
  countsProcesses: boolean;
  /** The absolute path of socat, which connects programs to a proxy. Undefined if socat is not installed. */
  bridge?: string;
}

/**
 * Sandbox rules whose network access is resolved: a function in `net` was replaced by the route of the proxy that it
 * opened.
 */
export type ResolvedRules = Omit<SandboxRules, "net"> & { net: "none" | "host" | ProxyRoute };

/** The resource limits of one sandboxed program. */
export const SANDBOX_LIMITS = {
  /**
   * The data memory of one process in megabytes. The address space has no limit, because V8 and Go reserve far more than
   * they use.
   */
  dataMegabytes: 4096,
  /** The size of one written file in megabytes. */
  fileMegabytes: 4096,
  /** The size of each temporary folder in megabytes. These folders are in memory. */
  temporaryMegabytes: 512,
  /** The number of processes and threads of the program and its descendants. */
  processes: 1024,
} as const;

const MEGABYTE = 1024 * 1024;

/** The port and the socket of the proxy inside the sandbox. */
const PROXY_PORT = 3128;
const PROXY_SOCKET = "/inkling-proxy.sock";

/**
 * The shell script that starts bubblewrap, and makes it ignore SIGTERM. The signal goes to the whole process group: without
 * this, bubblewrap would end, and kill the program before it can clean up. Inside the sandbox, `env` restores the signal
 * for the program.
 */
const IGNORE_TERM = 'trap "" TERM; exec "$@"';
const RESTORE_TERM = ["/usr/bin/env", "--default-signal=TERM", "--"];

/**
 * The access to one path in the sandbox. `own` mounts an empty folder that belongs to the sandbox. `from` is the folder
 * that is mounted at the path, writable.
 */
type Access = "read" | "write" | "own" | "closed" | "proc" | "dev" | { from: string };

/**
 * Returns the command that starts a program inside the sandbox. `home` is the user's home folder. Throws SandboxFailure, and Deno's errors for folders that
 * cannot be read.
 */
export function bubblewrapCommand(
  { program, args, cwd, environment }: SandboxedProgram,
  rules: ResolvedRules,
  { bubblewrap, home }: { bubblewrap: Bubblewrap; home: string },
): SandboxedProgram {
  const { restoresSignals, disablesNamespaces, bridge } = bubblewrap;
  const proxy = typeof rules.net === "object" ? rules.net : undefined;
  const confined = [
    bubblewrap.program,
    // The program gets new namespaces of all kinds, and ends with bubblewrap. It gets no new session, because the caller
    // must be able to signal the process group.
    ...["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"],
    ...(disablesNamespaces ? ["--disable-userns"] : []),
    ...(rules.net === "host" ? ["--share-net"] : []),
    ...mountsOf(rules, { cwd, home, environment }),
    ...(proxy === undefined ? [] : ["--ro-bind", proxy.socketFile, PROXY_SOCKET]),
    // With a writable /proc, even root without capabilities could change kernel settings for the whole machine.
    ...["/proc", "/dev", "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", cwd, "--"],
    ...["/bin/sh", "-c", limitingShell(bubblewrap, proxy && bridge), "inkling-sandbox"],
    ...(restoresSignals ? RESTORE_TERM : []),
    ...[program, ...args],
  ];
  const [first = "", ...rest] = restoresSignals
    ? ["/bin/sh", "-c", IGNORE_TERM, "inkling-sandbox", ...confined]
    : confined;
  const way = proxy === undefined ? {} : proxyVariables(proxy);
  return { program: first, args: rest, cwd: "/", environment: { ...environment, ...way } };
}

/**
 * Returns the environment variables that make common HTTP clients use the proxy. Node reads them only if NODE_USE_ENV_PROXY
 * is set.
 */
function proxyVariables({ credentials }: ProxyRoute): Record<string, string> {
  const address = `http://${credentials}@127.0.0.1:${PROXY_PORT}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    ...Object.fromEntries(
      [...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, address]),
    ),
    // The lists of exceptions are empty, because the sandbox reaches no host without the proxy.
    ...{ NO_PROXY: "", no_proxy: "", NODE_USE_ENV_PROXY: "1" },
  };
}

/**
 * The shell lines that close all descriptors except standard input and output. A descriptor that the service inherited, such
 * as a terminal or its log file, would lead the program out of the sandbox. A plain /bin/sh cannot close descriptors above 9.
 */
const CLOSE_ALL =
  'for d in /proc/self/fd/*; do n=${d##*/}; [ "$n" -gt 2 ] && eval "exec $n>&-"; done; exec "$@"';
const CLOSE_DESCRIPTORS = [
  "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-",
  'for d in /proc/self/fd/??*; do if [ -L "$d" ] && [ -x /bin/bash ]; ' +
  `then exec /bin/bash -c '${CLOSE_ALL}' inkling-sandbox "$@"; fi; done`,
];

function limitingShell({ countsProcesses }: Bubblewrap, bridge: string | undefined): string {
  const { dataMegabytes, fileMegabytes, processes } = SANDBOX_LIMITS;
  return [
    // `ulimit -d` counts kilobytes, `ulimit -f` counts blocks of 512 bytes.
    ...["ulimit -c 0", `ulimit -d ${dataMegabytes * 1024}`, `ulimit -f ${fileMegabytes * 2048}`],
    // The option for processes is -p in dash and -u in other shells.
    ...(countsProcesses ? [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`] : []),
    ...(bridge === undefined ? [] : [bridgeTo(bridge)]),
    ...CLOSE_DESCRIPTORS,
    'exec "$@"',
  ].join("; ");
}

/**
 * Returns the shell line that forwards PROXY_PORT to the proxy's socket. The forwarding process is no child of the program,
 * because programs may wait for all of their children. The program starts when the port is open, or after half a second.
 */
function bridgeTo(socat: string): string {
  const listen =
    `${socat} TCP-LISTEN:${PROXY_PORT},bind=127.0.0.1,fork,backlog=64 UNIX-CONNECT:${PROXY_SOCKET}`;
  const isOpen = `${socat} -u OPEN:/dev/null TCP:127.0.0.1:${PROXY_PORT} 2>/dev/null`;
  return [
    `(${listen} </dev/null >/dev/null 2>&1 &)`,
    `n=0; until ${isOpen} || [ $n -ge 50 ]; do n=$((n+1)); sleep 0.01; done`,
  ].join("; ");
}

function mountsOf(
  rules: ResolvedRules,
  { cwd, home, environment }: Pick<SandboxedProgram, "cwd" | "environment"> & { home: string },
): string[] {
  const realHome = knownRealPath(home);
  const read = rules.read.map(knownRealPath);
  const write = rules.write.map(knownRealPath);
  const programs = [
    ...programFolders(environment["PATH"], home).filter(mayBeFound),
    ...(rules.programs ?? []).map(knownRealPath),
  ];
  const declared = [...read, ...write];
  const shown = [...declared, ...programs];
  const closed = [...secretPlaces(realHome), ...rules.closed.map(knownRealPath)];
  const places = new Map<string, Access>();
  const put = (access: Access, paths: Iterable<string>) => {
    for (const one of paths) places.set(one, access);
  };
  // If a path is put twice, the later access applies. The access of a deeper path overrides that of its parents.
  put("read", BASE_SYSTEM);
  put("own", ["/tmp", "/var/tmp", "/dev/shm"]);
  put(rules.home === undefined ? "own" : { from: rules.home }, [home, realHome]);
  const certificates = certificateFiles(environment).filter((one) =>
    ![one, knownRealPath(one)].some((path) => isInside(path, [...shown, ...BASE_SYSTEM, ...closed]))
  );
  put("read", [...programs, ...read, ...certificates]);
  put("write", write);
  put("proc", ["/proc"]);
  put("dev", ["/dev"]);
  const hidden = closed.filter((one) => !declared.includes(one) && isInside(one, shown));
  put("closed", hidden.filter((one) => isInside(one, declared) || isPermitted(one)));
  put("closed", findEnvFiles(declared));
  const emptied: string[] = [];
  const mounts = [...places].sort(([a], [b]) => depthOf(a) - depthOf(b));
  return [
    ...mounts.flatMap(([one, access]) => mountOf(one, access, emptied)),
    ...linksOf([...rules.programs ?? [], ...rules.read, ...rules.write], shown),
    ...(isInside(cwd, shown) ? [] : ["--dir", cwd]),
    ...emptied.flatMap((one) => ["--remount-ro", one]),
  ];
}

/**
 * Returns options that create a symlink for each declared path with a symlink in it, so that the declared path works, too.
 */
function linksOf(declared: readonly string[], shown: readonly string[]): string[] {
  return [...new Set(declared)].flatMap((path) => {
    const real = knownRealPath(path);
    const isThere = real === path || isInside(path, [...shown, ...BASE_SYSTEM]);
    return isThere ? [] : ["--symlink", real, path];
  });
}

/**
 * Returns the options that mount one path. Adds closed folders to `emptied`: they become read-only after everything inside
 * them is mounted.
 */
function mountOf(path: string, access: Access, emptied: string[]): string[] {
  if (typeof access === "object") return ["--bind", access.from, path];
  switch (access) {
    case "read":
      return ["--ro-bind-try", path, path];
    case "write":
      return ["--bind-try", path, path];
    case "own":
      return ["--size", String(SANDBOX_LIMITS.temporaryMegabytes * MEGABYTE), "--tmpfs", path];
    case "proc":
    case "dev":
      return [`--${access}`, path];
    case "closed": {
      const kind = kindOf(path);
      if (kind === "missing") return [];
      if (kind === "file") return ["--ro-bind", "/dev/null", path];
      emptied.push(path);
      return ["--tmpfs", path];
    }
    default:
      return access satisfies never;
  }
}

/**
 * Returns false if the system cannot find the path, for example in another user's home folder. Shells skip such a folder of
 * PATH, but bubblewrap would not start. Returns true if Deno's flags forbid the check.
 */
function mayBeFound(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotCapable;
  }
}

/**
 * Returns false if Deno's flags forbid reading the path. Such a path is in a folder of programs, and is assumed to contain
 * no keys.
 */
function isPermitted(path: string): boolean {
  try {
    kindOf(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

function kindOf(path: string): "missing" | "file" | "folder" {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isBelow(path, folder));
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
