// What the environment settles: the user's home, the settings of a workspace, the places of a service.
import type { CliApp } from "../cli/context/app.ts";
import type { WorkspaceSettings } from "../runtime/mod.ts";

/** The user's home. Deno gives no other way without loading a module that is slow to start. */
export function homeDirectory(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (home !== undefined && home !== "") return home;
  throw new Error(
    "Cannot find the home directory: HOME is not set; set it to the folder that ~ stands for",
  );
}

/** The settings of a workspace: the one that is named, else the one that the environment and config.yaml name. */
export async function loadSettings(workspace: string | undefined): Promise<WorkspaceSettings> {
  const { loadSettings } = await import("../runtime/config/settings.ts");
  return await loadSettings({
    shell: Deno.env.toObject(),
    home: homeDirectory(),
    ...(workspace === undefined ? {} : { workspace }),
  });
}

/** Where the service of a workspace has its socket and its files. Without a workspace no file is read for it. */
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

/** The absolute path of a workspace that is not a folder; undefined: it is one. */
export async function missingWorkspace(workspace: string): Promise<string | undefined> {
  const { findMissingWorkspace } = await import("../runtime/config/workspace_folder.ts");
  return await findMissingWorkspace(workspace, { home: homeDirectory() });
}

/** Whether somebody has set Inkling up on this machine, or asks for a workspace. */
export async function isSetUp(options: { workspace?: string }): Promise<boolean> {
  const { isSetUp } = await import("../runtime/config/first_use.ts");
  return await isSetUp({ ...options, env: (name) => Deno.env.get(name), home: homeDirectory() });
}
