// Where an agent may go: the paths that its file declares, else the workspace, and what is only there to be read.
import { relative, resolve } from "node:path";
import type { AgentPath } from "../../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import type { NamedPlace } from "./path_notation.ts";
import { isWithin, SandboxPlace } from "./place.ts";

/** What a path is wanted for. Deleting and moving are writing. */
export type PathAccess = "read" | "write";

/** A folder with all below it, or just one file. */
export interface Root extends NamedPlace {
  /** The most that is allowed in it. */
  readonly access: PathAccess;
  readonly description: string | undefined;
  /** Which paths relative to it count; undefined: all. */
  readonly matches?: (relative: string) => boolean;
}

/** What roots are made of. */
export interface SandboxRootsOptions {
  /** Absolute. */
  workspace: string;
  /** The agent's declared paths, absolute; empty: the workspace root. */
  paths: readonly AgentPath[];
  /** Watched paths: readable in addition. */
  extraReadPaths?: readonly string[];
  /** Files of a watched pattern: readable in addition, but no place to look around in. */
  readableFiles?: readonly { folder: string; matches: (relative: string) => boolean }[];
}

/** The roots of one agent, in the order in which they are looked through. */
export class SandboxRoots {
  readonly all: readonly Root[];

  constructor({ workspace, paths, extraReadPaths, readableFiles }: SandboxRootsOptions) {
    const declared = paths.length > 0 ? paths : [{ alias: WORKSPACE_ALIAS, path: workspace }];
    this.all = [
      ...declared.map((one) => root(one.path, one.alias, "write", one.description)),
      ...(extraReadPaths ?? []).map((path) =>
        root(resolve(workspace, path), null, "read", undefined)
      ),
      ...(readableFiles ?? []).map(({ folder, matches }) => ({
        ...root(folder, null, "read", undefined),
        matches,
      })),
    ];
  }

  /** Looks where they lead: see SandboxPlace.settle. */
  settle(): void {
    for (const { place } of this.all) place.settle();
  }

  /** The root whose file or folder this real path is or lies in. */
  of(real: string, access: PathAccess): Root | undefined {
    return this.all.find((one) =>
      (access === "read" || one.access === "write") && isWithin(real, one.place.real) &&
      (one.matches === undefined || one.matches(relative(one.place.real, real)))
    );
  }

  /** Those that are open as a whole, for such an access. */
  whole(access: PathAccess): Root[] {
    return this.all.filter((one) =>
      one.matches === undefined && (access === "read" || one.access === "write")
    );
  }
}

function root(
  path: string,
  alias: string | null,
  access: PathAccess,
  description: string | undefined,
): Root {
  return { place: new SandboxPlace(path), alias, access, description };
}
