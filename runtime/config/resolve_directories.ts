// Resolves the paths of one workspace from the shell's variables, config.yaml and the workspace flag. Does not create them.
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
import { basename, dirname, join, resolve } from "../../base/plain_path.ts";
import { sha256Of } from "../../base/sha256.ts";

/**
 * Returns the paths of `workspace`. The default is that of config.yaml; `~` is expanded, and a relative path starts at the
 * current directory. A workspace other than that of config.yaml has its own state directory. Throws SocketPathTooLong.
 */
export async function resolveDirectories(options: {
  env: ReadVariable;
  home: string;
  config: Pick<Config, "path" | "workspace" | "agentsDir">;
  workspace?: string;
}): Promise<Directories> {
  const { env, home, config } = options;
  const workspace = resolve(expandHome(options.workspace ?? config.workspace, home));
  const configDir = resolveConfigDir(env, home);
  const realWorkspace = realPath(workspace);
  const baseStateDir = resolveBaseStateDir(env, home);
  const ownStateDir = await resolveOwnStateDir(baseStateDir, realWorkspace);
  const stateDir = realWorkspace === realPath(config.workspace) ? baseStateDir : ownStateDir;
  const agentsDir = resolve(workspace, config.agentsDir);
  const socketFile = resolveSocketFile(stateDir, env);
  const agentsConfigDir = join(agentsDir, "_config");
  return {
    configDir,
    configFile: config.path,
    configEnvFile: join(configDir, ".env"),
    stateDir,
    baseStateDir,
    ownStateDir,
    socketFile,
    proxySocketFile: socketFile.replace(/\.sock$/, ".net"),
    ...stateFilesOf(stateDir),
    workspace,
    realWorkspace,
    agentsDir,
    toolsDir: join(agentsConfigDir, "tools"),
    skillsDir: join(agentsConfigDir, "skills"),
    mcpServersFile: join(agentsConfigDir, "mcp-servers.json"),
    workspaceEnvFile: join(agentsConfigDir, ".env"),
    pricingFiles: [join(agentsConfigDir, "pricing.yaml"), join(configDir, "pricing.yaml")],
  };
}

/**
 * Returns the state directory of a workspace other than the one in config.yaml. The directory's name contains the name of
 * the workspace folder and a hash of the folder's path, with links resolved.
 */
export async function resolveOwnStateDir(
  baseStateDir: string,
  realWorkspace: string,
): Promise<string> {
  const hash = await sha256Of(realWorkspace);
  const name = `${basename(realWorkspace) || "root"}-${hash.slice(0, 8)}`;
  return join(baseStateDir, "workspaces", name);
}

/**
 * Returns a path with the links in its existing part resolved. So a workspace that does not exist yet keeps its identity,
 * even if a folder above it is a link.
 */
function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    const parent = dirname(path);
    // If the path cannot be read, or Deno's permissions forbid it, it is used as written.
    if (!(error instanceof Deno.errors.NotFound) || parent === path) return path;
    return join(realPath(parent), basename(path));
  }
}
