// The sandbox rules of a server's program: its own files, its own folder, and the declarations of its entry.
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isBelow } from "../../../base/files/path_below.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { ProxyRoute, SandboxRules } from "../../sandbox/sandbox_rules.ts";
import type { ForwardProxy } from "../http/forward_proxy.ts";
import type { ServerSandbox } from "./servers_file/declared_sandbox.ts";
import type { ServerProgram } from "./servers_file/server_definition.ts";

/** The collaborators that confine servers' programs. */
export interface ServerConfinement {
  sandbox: ProcessSandbox;
  /** The user's home folder. */
  home: string;
  /** Folders and files that no server may reach. */
  closed: readonly string[];
  /** Connects sandboxed programs to the hosts of their entries. */
  proxy: ForwardProxy;
}

/** Files that mark the top of a package or environment. */
const PACKAGE_MARKERS: readonly string[] = [
  ...["package.json", "node_modules", "pyproject.toml", "pyvenv.cfg", "setup.py"],
  ...["deno.json", "deno.jsonc"],
];

/** Variables that name a package cache: large, and without personal data. */
const CACHES = [
  "DENO_DIR",
  "UV_CACHE_DIR",
  "npm_config_cache",
  "NPM_CONFIG_CACHE",
  "PIP_CACHE_DIR",
];

/**
 * Returns the rules of a program. A file in its command line opens its whole package or environment; a folder opens itself,
 * read-only. The user's home is replaced by `ownHome`, which keeps its packages and caches.
 */
export function serverRules(
  program: ServerProgram,
  declared: ServerSandbox,
  { home, closed, ownHome, openProxy }: Pick<ServerConfinement, "home" | "closed"> & {
    ownHome: string;
    openProxy(): ProxyRoute;
  },
): SandboxRules {
  const { command, args, env, cwd, workspace } = program;
  const named = [...(command.includes("/") ? [command] : []), ...args.map(valueOf)]
    .filter((text) => text !== "" && (isAbsolute(text) || text.includes("/") || text.includes(".")))
    .map((text) => resolve(cwd, text));
  const programs = CACHES.flatMap((name) => absolute(env[name]));
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

/** Returns the package or environment around a file, or else its folder. Never returns a folder with more than programs. */
function installationOf(path: string, notWhole: readonly string[]): string {
  const isWhole = (folder: string) => notWhole.some((one) => isBelow(one, folder));
  let found = isWhole(dirname(path)) ? path : dirname(path);
  // The outermost one, because a package in a workspace imports its siblings.
  for (let folder = dirname(path); !isWhole(folder); folder = dirname(folder)) {
    if (PACKAGE_MARKERS.some((mark) => kindOf(join(folder, mark)) !== "missing")) found = folder;
  }
  return found;
}

function absolute(path: string | undefined): string[] {
  return path !== undefined && isAbsolute(path) ? [path] : [];
}

/** Returns the argument, or the value in `--name=value`. */
function valueOf(argument: string): string {
  return argument.replace(/^-[^=]*=/, "");
}

function kindOf(path: string): "file" | "folder" | "missing" {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    // The path is missing, closed, or no path at all: arguments may be whole scripts.
    return "missing";
  }
}
