// Resolves the paths that are known before any file is read. Has few imports, because every command starts here.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { fnv1a } from "../../base/text/fnv1a.ts";
import { isAbsolute, join, resolve } from "../../base/plain_path.ts";

/** A function that returns the value of a shell variable. */
export type ReadVariable = (name: string) => string | undefined;

/** The variables of Inkling whose value is a folder. It may begin with `~` or be relative to the current directory. */
const OWN_VARIABLES = ["INKLING_CONFIG_DIR", "INKLING_STATE_DIR"] as const;

/** The maximum length of the path of a Unix socket, in bytes, on all supported systems. */
const SOCKET_PATH_LIMIT = 104;

/** Error: the path of the Unix socket is too long for the system, and no shorter path is available. */
export class SocketPathTooLong extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(path: string, bytes: number) {
    super(
      `Cannot use the socket ${path}: its path has ${bytes} bytes and the limit is ${SOCKET_PATH_LIMIT}`,
      { remedy: "Set XDG_RUNTIME_DIR, or INKLING_STATE_DIR to a folder with a shorter path" },
    );
  }
}

/**
 * Returns the config directory: `$INKLING_CONFIG_DIR`, otherwise `$XDG_CONFIG_HOME/inkling`, otherwise `~/.config/inkling`.
 */
export function resolveConfigDir(env: ReadVariable, home: string): string {
  return resolvePlace(env, home, {
    own: "INKLING_CONFIG_DIR",
    xdg: "XDG_CONFIG_HOME",
    fallback: ".config",
  });
}

/**
 * Returns the state directory for the workspace of config.yaml: `$INKLING_STATE_DIR`, otherwise `$XDG_STATE_HOME/inkling`,
 * otherwise `~/.local/state/inkling`.
 */
export function resolveBaseStateDir(env: ReadVariable, home: string): string {
  return resolvePlace(env, home, {
    own: "INKLING_STATE_DIR",
    xdg: "XDG_STATE_HOME",
    fallback: ".local/state",
  });
}

/**
 * Returns the path of the Unix socket for a state directory: `service.sock` in it. If that path is longer than 104 bytes,
 * returns `$XDG_RUNTIME_DIR/inkling/<hash of the state directory>.sock`. Throws SocketPathTooLong if both are too long.
 */
export function resolveSocketFile(stateDir: string, env: ReadVariable): string {
  const usual = join(stateDir, "service.sock");
  const usualBytes = byteLength(usual);
  if (usualBytes <= SOCKET_PATH_LIMIT) return usual;
  const runtimeDir = absoluteVariable(env, "XDG_RUNTIME_DIR");
  if (runtimeDir !== undefined) {
    const hash = fnv1a(stateDir).toString(16).padStart(16, "0");
    const short = join(runtimeDir, "inkling", `${hash}.sock`);
    if (byteLength(short) <= SOCKET_PATH_LIMIT) return short;
  }
  throw new SocketPathTooLong(usual, usualBytes);
}

/** Returns the paths of the service's files in its state directory. For the socket see resolveSocketFile(). */
export function stateFilesOf(
  stateDir: string,
): { databaseFile: string; pidFile: string; lockFile: string; logFile: string } {
  return {
    databaseFile: join(stateDir, "inkling.db"),
    pidFile: join(stateDir, "inkling.pid"),
    lockFile: join(stateDir, "inkling.lock"),
    logFile: join(stateDir, "inkling.log"),
  };
}

/** Returns the path of the owner file in a base state directory. It names the workspace whose history is there. */
export function historyOwnerFile(baseStateDir: string): string {
  return join(baseStateDir, "workspace");
}

/**
 * Returns the shell's variables for a process with another current directory. Relative folders are made absolute, so that
 * both processes use the same folders. Relative XDG variables stay, because they are ignored.
 */
export function pinFolders(shell: Readonly<Record<string, string>>): Record<string, string> {
  const pinned = { ...shell };
  for (const name of [...OWN_VARIABLES, "DENO_DIR"]) {
    const folder = pinned[name];
    if (folder === undefined || folder === "") continue;
    // A folder with `~` is the same in both processes. Only Deno does not expand `~`.
    if (name !== "DENO_DIR" && /^~(\/|$)/.test(folder)) continue;
    pinned[name] = resolve(folder);
  }
  return pinned;
}

/** Returns a path with a leading `~` or `~/` replaced by the home directory. Other paths do not change. */
export function expandHome(path: string, home: string): string {
  return path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

function resolvePlace(
  env: ReadVariable,
  home: string,
  names: { own: typeof OWN_VARIABLES[number]; xdg: string; fallback: string },
): string {
  const own = env(names.own);
  if (own !== undefined && own !== "") return resolve(expandHome(own, home));
  return join(absoluteVariable(env, names.xdg) ?? join(home, names.fallback), "inkling");
}

/** Returns the value of an XDG variable if it is an absolute path. The XDG specification ignores relative paths. */
function absoluteVariable(env: ReadVariable, name: string): string | undefined {
  const value = env(name);
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The names of the variables that determine Deno's cache. */
const DENO_CACHE = ["HOME", "XDG_CACHE_HOME", "DENO_DIR", "TMPDIR"] as const;

/**
 * Returns the variables that determine Deno's cache. They come from this process and never from a `.env` file: Deno read
 * them before Inkling started, so they lead to the cache with Inkling's packages.
 */
export function denoCacheVariables(): Record<string, string> {
  return Object.fromEntries(DENO_CACHE.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
