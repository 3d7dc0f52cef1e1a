// Adds the folder that is open in an editor to the paths of an agent that names it.
import { isAbsolute, resolve } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import { knownRealPath } from "../../../base/files/known_real_path.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { secretPlaces } from "../../sandbox/secret_places.ts";
import { ClosedPlaces } from "./closed_places.ts";

/** Error: the folder of an editor cannot be a path of the agent. */
export class EditorFolderUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
}

/**
 * Returns the agent with the editor's folder of its request among its paths. Throws EditorFolderUnusable if the agent may not
 * use the folder.
 */
export function withEditorFolder(
  agent: Agent,
  folder: string | undefined,
  { directories, home }: Pick<WorkspaceSettings, "directories" | "home">,
): Agent {
  if (folder === undefined) return agent;
  const { id, editorPaths } = agent;
  if (editorPaths === undefined) {
    throw new EditorFolderUnusable(
      `Agent '${id}' does not use the editor's folder: its file needs paths: { project: editor }`,
    );
  }
  if (!isAbsolute(folder) || folder.includes("\0")) {
    throw new EditorFolderUnusable(`The editor's folder is not an absolute path: ${folder}`);
  }
  const closed = new ClosedPlaces(directories);
  closed.resolvePlaces();
  const written = resolve(folder);
  // A written path below /proc is checked first, because the service itself may not read it.
  const real = closed.refusal(written) === undefined ? findFolder(written) : written;
  const refusal = closed.refusal(real);
  if (refusal !== undefined) {
    throw new EditorFolderUnusable(`The editor's folder ${folder} cannot be used: ${refusal}`);
  }
  const secret = secretPlaces(home).flatMap((place) => [place, knownRealPath(place)])
    .find((place) => isBelow(place, real) || isBelow(real, place));
  if (secret !== undefined) {
    throw new EditorFolderUnusable(
      `The editor's folder ${folder} cannot be used, because keys and private data are in ${secret}: ` +
        "open the folder of one project",
    );
  }
  return {
    ...agent,
    paths: [...agent.paths, ...editorPaths.map((one) => ({ ...one, path: real }))],
  };
}

function findFolder(folder: string): string {
  try {
    const real = Deno.realPathSync(folder);
    if (Deno.statSync(real).isDirectory) return real;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      throw new EditorFolderUnusable(
        `The service has no permission to read the editor's folder ${folder}: ` +
          "name it, or a folder around it, in the agent's paths, and restart the service",
      );
    }
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  throw new EditorFolderUnusable(`The editor's folder ${folder} is not a folder of this machine`);
}
