// Calculates the sandbox rules of an MCP server's program from its command line, its own folder, and its entry.
import { kindOf, wordsOf } from "./servers_file/misplaced_paths.ts";
import { dirname, isAbsolute, join, resolve } from "../../../base/plain_path.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { ProxyRoute, SandboxRules } from "../../sandbox/sandbox_rules.ts";
import type { ForwardProxy } from "../http/forward_proxy.ts";
import type { ServerSandbox } from "./servers_file/declared_sandbox.ts";
import type { ServerProgram } from "./servers_file/server_definition.ts";

/** The objects and places that are needed to put servers' programs into the sandbox. */
export interface ServerConfinement {
  sandbox: ProcessSandbox;
  /** The user's home folder. */
  home: string;
  /** The folders and files that no server may use. */
  closed: readonly string[];
  /** The proxy through which sandboxed programs reach the hosts of their entries. */
  proxy: ForwardProxy;
}

/** The files and folders that are in the top folder of a package or environment. */
const PACKAGE_MARKERS: readonly string[] = [
  ...["package.json", "node_modules", "pyproject.toml", "pyvenv.cfg", "setup.py"],
  ...["deno.json", "deno.jsonc"],
];

/**
 * The environment variables with the folder of a package cache. Programs may use these caches, which are large and contain
 * no personal data.
 */
const CACHES = [
  "DENO_DIR",
  "UV_CACHE_DIR",
  "npm_config_cache",
  "NPM_CONFIG_CACHE",
  "PIP_CACHE_DIR",
];

/**
 * Returns the sandbox rules of a program. For each file in its command line, the program may use the whole package or
 * environment of that file. Folders in the command line are readable. `ownHome` replaces the user's home folder, and
 * contains the program's packages and caches.
 */
export function serverRules(
  program: ServerProgram,
  declared: ServerSandbox,
  { home, closed, ownHome, openProxy }: Pick<ServerConfinement, "home" | "closed"> & {
    ownHome: string;
    openProxy(): ProxyRoute;
  },
): SandboxRules {
  const { env, cwd, workspace } = program;
  const named = wordsOf(program)
    .filter((text) => text !== "" && (isAbsolute(text) || text.includes("/") || text.includes(".")))
    .map((text) => resolve(cwd, text));
  const programs = CACHES.flatMap((name) => env[name] ?? []).filter((path) => isAbsolute(path));
  const read = [...declared.read, ...(program.startsInOwnFolder ? [] : [cwd])];
  for (const path of named) {
    const kind = kindOf(path);
    if (kind === "folder") read.push(path);
    if (kind !== "file") continue;
    const notWhole = [home, workspace, ...closed];
    programs.push(
      installationOf(path, notWhole),
      installationOf(Deno.realPathSync(path), notWhole),
    );
  }
  return {
    programs,
    read,
    write: program.startsInOwnFolder ? [cwd, ...declared.write] : declared.write,
    closed,
    net: declared.net.length === 0 ? "none" : declared.net.includes("*") ? "host" : openProxy,
    home: ownHome,
  };
}

/**
 * Returns the folder of the package or environment that contains a file, or else the file's folder. Returns the file itself
 * if its folder contains one of the places in `notWhole`.
 */
function installationOf(path: string, notWhole: readonly string[]): string {
  const isWhole = (folder: string) => notWhole.some((one) => isBelow(one, folder));
  let found = isWhole(dirname(path)) ? path : dirname(path);
  // The outermost package folder is used, because a package in a monorepo imports other packages of it.
  for (let folder = dirname(path); !isWhole(folder); folder = dirname(folder)) {
    if (PACKAGE_MARKERS.some((mark) => kindOf(join(folder, mark)) !== "missing")) found = folder;
  }
  return found;
}
