// The paths that are known before any file is read. Imports nothing heavy, because every command starts here.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { fnv1a } from "./fnv1a.ts";
import { PATHS } from "../../base/plain_path.ts";

const { isAbsolute, join, resolve } = PATHS;

/** Returns the value of a shell variable. */
export type ReadVariable = (name: string) => string | undefined;

/** Inkling's own variables with a folder as value, possibly with `~` or relative to the current directory. */
const OWN_VARIABLES = ["INKLING_CONFIG_DIR", "INKLING_STATE_DIR"] as const;

/** The longest path of a Unix socket, in bytes, on every supported system. */
const SOCKET_PATH_LIMIT = 104;

/** The path of the Unix socket is longer than the system permits, and no shorter one is available. */
export class SocketPathTooLong extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(path: string, bytes: number) {
    super(
      `Cannot use the socket ${path}: its path has ${bytes} bytes and the limit is ${SOCKET_PATH_LIMIT}`,
      { remedy: "Set XDG_RUNTIME_DIR, or INKLING_STATE_DIR to a folder with a shorter path" },
    );
  }
}

/** Returns `$INKLING_CONFIG_DIR`, else `$XDG_CONFIG_HOME/inkling`, else `~/.config/inkling`. */
export function resolveConfigDir(env: ReadVariable, home: string): string {
  return resolvePlace(env, home, {
    own: "INKLING_CONFIG_DIR",
    xdg: "XDG_CONFIG_HOME",
    fallback: ".config",
  });
}

/**
 * Returns the state directory of config.yaml's workspace: `$INKLING_STATE_DIR`, else `$XDG_STATE_HOME/inkling`, else
 * `~/.local/state/inkling`.
 */
export function resolveBaseStateDir(env: ReadVariable, home: string): string {
  return resolvePlace(env, home, {
    own: "INKLING_STATE_DIR",
    xdg: "XDG_STATE_HOME",
    fallback: ".local/state",
  });
}

/**
 * Returns the Unix socket of a state directory: `service.sock` in it. If that path is over 104 bytes,
 * `$XDG_RUNTIME_DIR/inkling/<hash of the state directory>.sock`. Throws SocketPathTooLong when neither fits.
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

/** Returns the service's files in its state directory. The socket may be elsewhere: see resolveSocketFile. */
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

/** Returns the path of the file that names the workspace whose history is in a base state folder. */
export function historyOwnerFile(baseStateDir: string): string {
  return join(baseStateDir, "workspace");
}

/**
 * Returns the shell's variables for a process in another directory: relative folders become absolute, so that both
 * processes use the same. Relative XDG variables stay, because they are ignored.
 */
export function pinFolders(shell: Readonly<Record<string, string>>): Record<string, string> {
  const pinned = { ...shell };
  for (const name of [...OWN_VARIABLES, "DENO_DIR"]) {
    const folder = pinned[name];
    if (folder === undefined || folder === "") continue;
    // `~` means the same everywhere; only Deno does not know it.
    if (name !== "DENO_DIR" && /^~(\/|$)/.test(folder)) continue;
    pinned[name] = resolve(folder);
  }
  return pinned;
}

/** Replaces a leading `~` or `~/` by the home directory. Returns any other path unchanged. */
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

/** Returns an XDG variable with an absolute path. The specification ignores relative ones. */
function absoluteVariable(env: ReadVariable, name: string): string | undefined {
  const value = env(name);
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The variables that locate Deno's cache. */
const DENO_CACHE = ["HOME", "XDG_CACHE_HOME", "DENO_DIR", "TMPDIR"] as const;

/**
 * Returns the variables that locate Deno's cache. They come from this process, never from a `.env` file: Deno read them
 * before Inkling did, so this is the cache with Inkling's packages.
 */
export function denoCacheVariables(): Record<string, string> {
  return Object.fromEntries(DENO_CACHE.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
