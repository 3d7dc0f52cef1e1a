// The command line of bubblewrap: an empty system into which the permitted paths are mounted.
//
// Decision: bubblewrap's own command line, because distributions package this one program, and a list of mounts is enough
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

/** The abilities of this system's bubblewrap. */
export interface Bubblewrap {
  /** Its absolute path. */
  program: string;
  /** True if it can forbid nested user namespaces. */
  disablesNamespaces: boolean;
  /** True if `env` can restore the default handling of a signal that a parent ignores. */
  restoresSignals: boolean;
  /** True if the kernel counts a sandbox's processes apart from the user's other processes. */
  countsProcesses: boolean;
  /** Absolute path of socat, which connects programs to a proxy. Absent when socat is not installed. */
  bridge?: string;
}

/** Sandbox rules with an open proxy. */
export type ResolvedRules = Omit<SandboxRules, "net"> & { net: "none" | "host" | ProxyRoute };

/** The limits of one program in the sandbox. */
export const SANDBOX_LIMITS = {
  /** Data memory of one process. Address space has no limit, because V8 and Go reserve far more than they use. */
  dataMegabytes: 4096,
  /** Size of one written file. */
  fileMegabytes: 4096,
  /** Size of each temporary folder, which lives in memory. */
  temporaryMegabytes: 512,
  /** Processes and threads of the program and its descendants. */
  processes: 1024,
} as const;

const MEGABYTE = 1024 * 1024;

/** The address of the proxy inside the sandbox. */
const PROXY_PORT = 3128;
const PROXY_SOCKET = "/inkling-proxy.sock";

/**
 * Runs outside of the sandbox. SIGTERM goes to the whole process group; bubblewrap ignores it, or the program would be
 * killed before it can clean up. Inside, `env` restores the signal for the program.
 */
const IGNORE_TERM = 'trap "" TERM; exec "$@"';
const RESTORE_TERM = ["/usr/bin/env", "--default-signal=TERM", "--"];

/** The access to one path. `own` mounts an empty folder of the sandbox's own. */
type Access = "read" | "write" | "own" | "closed" | "proc" | "dev" | { from: string };

/** The machine and the user that a sandbox is built for. */
export interface BubblewrapOptions {
  bubblewrap: Bubblewrap;
  /** The user's home folder. */
  home: string;
}

/**
 * Returns the command that starts a program inside the sandbox. Throws SandboxFailure, and Deno's errors for
 * unreadable folders.
 */
export function bubblewrapCommand(
  { program, args, cwd, environment }: SandboxedProgram,
  rules: ResolvedRules,
  { bubblewrap, home }: BubblewrapOptions,
): SandboxedProgram {
  const { restoresSignals, disablesNamespaces, bridge } = bubblewrap;
  const proxy = typeof rules.net === "object" ? rules.net : undefined;
  const confined = [
    bubblewrap.program,
    // Unshares everything, and dies with its parent. No new session: the caller must be able to signal the process group.
    ...["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"],
    ...(disablesNamespaces ? ["--disable-userns"] : []),
    ...(rules.net === "host" ? ["--share-net"] : []),
    ...mountsOf(rules, { cwd, home, environment }),
    ...(proxy === undefined ? [] : ["--ro-bind", proxy.socketFile, PROXY_SOCKET]),
    // Through /proc even an administrator without capabilities could change kernel settings for the whole machine.
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

/** Returns the proxy variables that common HTTP clients read. Node reads them only with NODE_USE_ENV_PROXY. */
function proxyVariables({ credentials }: ProxyRoute): Record<string, string> {
  const address = `http://${credentials}@127.0.0.1:${PROXY_PORT}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    ...Object.fromEntries(
      [...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, address]),
    ),
    // No exceptions: the sandbox reaches no host without the proxy.
    ...{ NO_PROXY: "", no_proxy: "", NODE_USE_ENV_PROXY: "1" },
  };
}

function limitingShell({ countsProcesses }: Bubblewrap, bridge: string | undefined): string {
  const { dataMegabytes, fileMegabytes, processes } = SANDBOX_LIMITS;
  return [
    // Kilobytes for -d, blocks of 512 bytes for -f.
    ...["ulimit -c 0", `ulimit -d ${dataMegabytes * 1024}`, `ulimit -f ${fileMegabytes * 2048}`],
    // Dash spells the option -p, other shells -u.
    ...(countsProcesses ? [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`] : []),
    ...(bridge === undefined ? [] : [bridgeTo(bridge)]),
    'exec "$@"',
  ].join("; ");
}

/**
 * Returns the shell line that forwards the proxy port to the proxy's socket. The forwarder is no child of the program,
 * because programs may wait for all of their children. The program starts once the port is open, or without a proxy after
 * half a second.
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
    ...programFolders(environment["PATH"], home),
    ...(rules.programs ?? []).map(knownRealPath),
  ];
  const declared = [...read, ...write];
  const shown = [...declared, ...programs];
  const closed = [...secretPlaces(realHome), ...rules.closed.map(knownRealPath)];
  const places = new Map<string, Access>();
  const put = (access: Access, paths: Iterable<string>) => {
    for (const one of paths) places.set(one, access);
  };
  // At the same path a later rule wins; a deeper path wins over the folders around it.
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

/** Returns symlinks for declared paths that contain a symbolic link, so that both spellings work. */
function linksOf(declared: readonly string[], shown: readonly string[]): string[] {
  return [...new Set(declared)].flatMap((path) => {
    const real = knownRealPath(path);
    const isThere = real === path || isInside(path, [...shown, ...BASE_SYSTEM]);
    return isThere ? [] : ["--symlink", real, path];
  });
}

/**
 * Returns the mount options for one path. Adds folders to `emptied` that must become read-only after everything inside them
 * is mounted.
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
 * Returns false when Deno's own flags forbid reading the path. Such paths lie among programs, and are assumed to hold no
 * keys.
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
