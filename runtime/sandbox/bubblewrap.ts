// The command line of bubblewrap: an empty system with what a program may reach mounted into it.
//
// Decision: bubblewrap's own command line, because one program that distributions keep, given mounts in a list, is all that is
// needed (rejected: @anthropic-ai/sandbox-runtime 0.0.83, which calls the same program and brings a shell command to be quoted,
// socat, ripgrep, a proxy that can open TLS, and four packages with it; and which mounts the whole file system read-only, less
// what is named, where here nothing is there but what is named).
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

/** What this system's bubblewrap can do. */
export interface Bubblewrap {
  /** Its absolute path. */
  program: string;
  /** Whether it can forbid user namespaces inside of its own. */
  disablesNamespaces: boolean;
  /** Whether `env` can give a program a signal back that was ignored around it. */
  restoresSignals: boolean;
  /** Whether the system counts a program's processes apart from the user's others. */
  countsProcesses: boolean;
  /** Absolute path of socat, by which programs reach a proxy; absent where there is none. */
  bridge?: string;
}

/** Rules whose proxy is open. */
export type OpenedRules = Omit<SandboxRules, "net"> & { net: "none" | "host" | ProxyRoute };

/** Bounds of one program in the sandbox. */
export const SANDBOX_LIMITS = {
  /** Of data that one process holds. Not of addresses, of which V8 and Go reserve far more than they use. */
  dataMegabytes: 4096,
  /** Of one file that it writes. */
  fileMegabytes: 4096,
  /** Of the temporary folders, each. They are memory. */
  temporaryMegabytes: 512,
  /** Processes and threads of all it starts. */
  processes: 1024,
} as const;

const MEGABYTE = 1024 * 1024;

/** In the sandbox: where programs find their proxy. */
const PROXY_PORT = 3128;
const PROXY_SOCKET = "/inkling-proxy.sock";

/**
 * Outside: SIGTERM, which goes to the whole process group, must not end bubblewrap, and with it the program before it could
 * tidy up. Inside, `env` gives the program the signal back.
 */
const IGNORE_TERM = 'trap "" TERM; exec "$@"';
const RESTORE_TERM = ["/usr/bin/env", "--default-signal=TERM", "--"];

/** What is visible at a path. `own`: an empty folder of its own. */
type Access = "read" | "write" | "own" | "closed" | "proc" | "dev" | { from: string };

/** Whose sandbox it is. */
export interface BubblewrapOptions {
  bubblewrap: Bubblewrap;
  /** The user's home folder. */
  home: string;
}

/** The program that starts this one inside of the sandbox. Throws TooMuchToLookThrough, and what Deno throws of a folder. */
export function bubblewrapCommand(
  { program, args, cwd, environment }: SandboxedProgram,
  rules: OpenedRules,
  { bubblewrap, home }: BubblewrapOptions,
): SandboxedProgram {
  const { restoresSignals, disablesNamespaces, bridge } = bubblewrap;
  const proxy = typeof rules.net === "object" ? rules.net : undefined;
  const confined = [
    bubblewrap.program,
    // Everything apart; it dies with whoever started it. No new session: the group to be signalled would be lost.
    ...["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"],
    ...(disablesNamespaces ? ["--disable-userns"] : []),
    ...(rules.net === "host" ? ["--share-net"] : []),
    ...mountsOf(rules, { cwd, home, environment }),
    ...(proxy === undefined ? [] : ["--ro-bind", proxy.socketFile, PROXY_SOCKET]),
    // In /proc an administrator, even one without rights, could set what the kernel does for all.
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

/** What the widespread clients of HTTP look for; Node's only when it is told to. */
function proxyVariables({ credentials }: ProxyRoute): Record<string, string> {
  const address = `http://${credentials}@127.0.0.1:${PROXY_PORT}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    ...Object.fromEntries(
      [...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, address]),
    ),
    // What a program listens on itself, in the sandbox.
    ...{ NO_PROXY: "", no_proxy: "", NODE_USE_ENV_PROXY: "1" },
  };
}

function limitingShell({ countsProcesses }: Bubblewrap, bridge: string | undefined): string {
  const { dataMegabytes, fileMegabytes, processes } = SANDBOX_LIMITS;
  return [
    // In kilobytes, and in blocks of 512 bytes.
    ...["ulimit -c 0", `ulimit -d ${dataMegabytes * 1024}`, `ulimit -f ${fileMegabytes * 2048}`],
    // Dash calls it -p, others -u.
    ...(countsProcesses ? [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`] : []),
    ...(bridge === undefined ? [] : [bridgeTo(bridge)]),
    'exec "$@"',
  ].join("; ");
}

/**
 * Hands connections to the port on to the proxy's socket. No child of the program, which may wait for all of its own; the
 * program begins when the port is open, or after half a second without it, in which case it cannot connect.
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
  rules: OpenedRules,
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
  // Each overrules those before it at the same path; a deeper path overrules those around it.
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
  put("closed", hidden.filter((one) => isInside(one, declared) || isKnown(one)));
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

/** What is declared by a path with a symbolic link in it is found under that path, too. */
function linksOf(declared: readonly string[], shown: readonly string[]): string[] {
  return [...new Set(declared)].flatMap((path) => {
    const real = knownRealPath(path);
    const isThere = real === path || isInside(path, [...shown, ...BASE_SYSTEM]);
    return isThere ? [] : ["--symlink", real, path];
  });
}

/** `emptied` takes the folders that are to be made read-only once all that lies in them is mounted. */
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

/** Among programs something may lie that this process may not look at by its own flags; no keys are taken to be there. */
function isKnown(path: string): boolean {
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
