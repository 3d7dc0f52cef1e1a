// Defines the roots of an agent, which are the folders and files that it may reach: its declared paths, or else the
// workspace, and additional read-only paths.
import { relative, resolve } from "../../../base/plain_path.ts";
import type { AgentPath } from "../../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import type { NamedPlace } from "./path_notation.ts";
import { isWithin, SandboxPlace } from "./place.ts";

/** The purpose of an access. Deleting and moving count as writing. */
export type PathAccess = "read" | "write";

/** A folder with its content, or one file, that an agent may reach. */
export interface Root extends NamedPlace {
  /** The highest access to the root: `write` includes reading. */
  readonly access: PathAccess;
  readonly description: string | undefined;
  /** Returns true if a path relative to the root belongs to it. Undefined: all paths below the root do. */
  readonly matches?: (relative: string) => boolean;
}

/** The options of SandboxRoots. */
export interface SandboxRootsOptions {
  /** The absolute path of the workspace. */
  workspace: string;
  /** The agent's declared paths, absolute. If the list is empty, the workspace is the root, except with `needsPaths`. */
  paths: readonly AgentPath[];
  /** True for an agent that can open no file while `paths` is empty. */
  needsPaths?: boolean;
  /** Watched paths, which are readable in addition to `paths`. */
  extraReadPaths?: readonly string[];
  /** Watched patterns: the files that match are readable, but their folders cannot be listed. */
  readableFiles?: readonly { folder: string; matches: (relative: string) => boolean }[];
}

/** The roots of one agent. `find` checks them in the order of `all`. */
export class SandboxRoots {
  readonly all: readonly Root[];

  constructor(
    { workspace, paths, needsPaths = false, extraReadPaths, readableFiles }: SandboxRootsOptions,
  ) {
    const declared: readonly AgentPath[] = paths.length > 0 || needsPaths
      ? paths
      : [{ alias: WORKSPACE_ALIAS, path: workspace }];
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

  /** Resolves the symlinks in the roots' paths (see SandboxPlace.resolve). */
  resolvePlaces(): void {
    for (const { place } of this.all) place.resolve();
  }

  /**
   * Returns the first root that allows this access and is, or contains, this real path. Returns undefined if there is none.
   */
  find(real: string, access: PathAccess): Root | undefined {
    return this.all.find((one) =>
      (access === "read" || one.access === "write") && isWithin(real, one.place.real) &&
      (one.matches === undefined || one.matches(relative(one.place.real, real)))
    );
  }

  /** Returns the roots that allow this access to all of their content. */
  findWhole(access: PathAccess): Root[] {
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
