// Reads the environment: the home folder, the settings of a workspace, and the places of a service.
import type { CliApp } from "../cli/context/app.ts";
import type { WorkspaceSettings } from "../runtime/mod.ts";

/** Returns the path of the user's home folder. Does not use node:os, which is slow to load. */
export function homeDirectory(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (home !== undefined && home !== "") return home;
  throw new Error(
    "Cannot find the home directory: HOME is not set; set it to the folder that ~ stands for",
  );
}

/** Returns the settings of the given workspace, or of the workspace that the environment or config.yaml names. */
export async function loadSettings(workspace: string | undefined): Promise<WorkspaceSettings> {
  const { loadSettings } = await import("../runtime/config/settings.ts");
  return await loadSettings({
    shell: Deno.env.toObject(),
    home: homeDirectory(),
    ...(workspace === undefined ? {} : { workspace }),
  });
}

/** Returns the paths of the socket and the files of a workspace's service. Reads no file unless a workspace is given. */
export async function findPlaces(workspace?: string): ReturnType<CliApp["places"]> {
  if (workspace !== undefined) {
    const { directories } = await loadSettings(workspace);
    return directories;
  }
  const { resolveBaseStateDir, resolveSocketFile, stateFilesOf } = await import(
    "../runtime/config/places.ts"
  );
  const env = (name: string) => Deno.env.get(name);
  const stateDir = resolveBaseStateDir(env, homeDirectory());
  return {
    stateDir,
    socketFile: resolveSocketFile(stateDir, env),
    ...stateFilesOf(stateDir),
  };
}

/** Returns the absolute path of the workspace if it is no folder, or undefined if it is a folder. */
export async function missingWorkspace(workspace: string): Promise<string | undefined> {
  const { findMissingWorkspace } = await import("../runtime/config/workspace_folder.ts");
  return await findMissingWorkspace(workspace, { home: homeDirectory() });
}

/** Returns true if Inkling is set up on this machine, or a workspace is given. */
export async function isSetUp(options: { workspace?: string }): Promise<boolean> {
  const { isSetUp } = await import("../runtime/config/workspace_folder.ts");
  return await isSetUp({ ...options, env: (name) => Deno.env.get(name), home: homeDirectory() });
}
