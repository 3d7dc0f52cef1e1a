// Every place of one workspace, from the shell's variables, config.yaml and the workspace flag. Makes none of them.
import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "./config.ts";
import type { Directories } from "./directories.ts";
import {
  expandHome,
  type ReadVariable,
  resolveBaseStateDir,
  resolveConfigDir,
  resolveSocketFile,
  stateFilesOf,
} from "./places.ts";

/**
 * Places of `workspace` (default: config.yaml's; `~` expanded, relative to the current directory). A workspace other
 * than config.yaml's has a state directory of its own, named by its folder and its real path. Throws SocketPathTooLong.
 */
export function resolveDirectories(options: {
  env: ReadVariable;
  home: string;
  config: Pick<Config, "path" | "workspace" | "agentsDir">;
  workspace?: string;
}): Directories {
  const { env, home, config } = options;
  const workspace = resolve(expandHome(options.workspace ?? config.workspace, home));
  const configDir = resolveConfigDir(env, home);
  const stateDir = resolveStateDir(resolveBaseStateDir(env, home), workspace, config.workspace);
  const agentsDir = resolve(workspace, config.agentsDir);
  const agentsConfigDir = join(agentsDir, "_config");
  return {
    configDir,
    configFile: config.path,
    configEnvFile: join(configDir, ".env"),
    stateDir,
    socketFile: resolveSocketFile(stateDir, env),
    ...stateFilesOf(stateDir),
    workspace,
    agentsDir,
    toolsDir: join(agentsConfigDir, "tools"),
    skillsDir: join(agentsConfigDir, "skills"),
    mcpServersFile: join(agentsConfigDir, "mcp-servers.json"),
    workspaceEnvFile: join(agentsConfigDir, ".env"),
    pricingFiles: [join(agentsConfigDir, "pricing.yaml"), join(configDir, "pricing.yaml")],
  };
}

function resolveStateDir(base: string, workspace: string, configured: string): string {
  const real = realPath(workspace);
  if (real === realPath(configured)) return base;
  const hash = createHash("sha256").update(real).digest("hex").slice(0, 8);
  return join(base, "workspaces", `${basename(real) || "root"}-${hash}`);
}

/** The real path, as far as the path exists: a link above a workspace that is yet to be made must not count twice. */
function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    const parent = dirname(path);
    // Not readable, or closed by Deno's flags: then it counts as it is written.
    if (!(error instanceof Deno.errors.NotFound) || parent === path) return path;
    return join(realPath(parent), basename(path));
  }
}
