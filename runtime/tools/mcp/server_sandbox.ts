// The rules of a server's program in the sandbox: what it is started from, its own folder, and what its entry declares.
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isBelow } from "../../../base/files/path_below.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import type { ProxyRoute, SandboxRules } from "../../sandbox/sandbox_rules.ts";
import type { ForwardProxy } from "../http/forward_proxy.ts";
import type { ServerSandbox } from "./servers_file/declared_sandbox.ts";
import type { ServerProgram } from "./servers_file/server_definition.ts";

/** What puts the programs of servers into the sandbox. */
export interface ServerConfinement {
  sandbox: ProcessSandbox;
  /** The user's home folder. */
  home: string;
  /** Folders and files that no server may reach. */
  closed: readonly string[];
  /** Lets programs in the sandbox reach the hosts of their entries. */
  proxy: ForwardProxy;
}

/** A file with one of these in its folder, or above, belongs to what lies in that folder. */
const MARKS: readonly string[] = [
  ...["package.json", "node_modules", "pyproject.toml", "pyvenv.cfg", "setup.py"],
  ...["deno.json", "deno.jsonc"],
];

/** Variables that name a cache of packages: large, and nobody's notes. */
const CACHES = [
  "DENO_DIR",
  "UV_CACHE_DIR",
  "npm_config_cache",
  "NPM_CONFIG_CACHE",
  "PIP_CACHE_DIR",
];

/**
 * What the program may reach. A file that its command line names stands for the package or environment that it belongs to,
 * a folder for itself, to be read. In place of the user's home it finds `ownHome`, where its packages and caches stay.
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

/** The package or environment around a file; its folder where it is in none. Never a folder that holds more than programs. */
function installationOf(path: string, notWhole: readonly string[]): string {
  const isWhole = (folder: string) => notWhole.some((one) => isBelow(one, folder));
  let found = isWhole(dirname(path)) ? path : dirname(path);
  // The outermost: a package of several keeps what it imports beside it.
  for (let folder = dirname(path); !isWhole(folder); folder = dirname(folder)) {
    if (MARKS.some((mark) => kindOf(join(folder, mark)) !== "missing")) found = folder;
  }
  return found;
}

function absolute(path: string | undefined): string[] {
  return path !== undefined && isAbsolute(path) ? [path] : [];
}

/** The argument, or what follows `--name=`. */
function valueOf(argument: string): string {
  return argument.replace(/^-[^=]*=/, "");
}

function kindOf(path: string): "file" | "folder" | "missing" {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    // Not there, closed to us, or no path at all: whole scripts stand among arguments, too.
    return "missing";
  }
}
