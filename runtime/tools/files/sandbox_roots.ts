// The roots of an agent: its declared paths, or else the workspace, and additional read-only paths.
import { relative, resolve } from "node:path";
import type { AgentPath } from "../../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import type { NamedPlace } from "./path_notation.ts";
import { isWithin, SandboxPlace } from "./place.ts";

/** The purpose of an access. Deleting and moving count as writing. */
export type PathAccess = "read" | "write";

/** A folder with its content, or one file. */
export interface Root extends NamedPlace {
  /** The highest access that is allowed in it. */
  readonly access: PathAccess;
  readonly description: string | undefined;
  /** Selects paths relative to the root. Undefined: all of them. */
  readonly matches?: (relative: string) => boolean;
}

/** The settings that roots are made from. */
export interface SandboxRootsOptions {
  /** Absolute. */
  workspace: string;
  /** The agent's declared paths, absolute. Empty: the workspace root. */
  paths: readonly AgentPath[];
  /** Watched paths, readable in addition. */
  extraReadPaths?: readonly string[];
  /** Files that match a watched pattern: readable in addition, but their folders cannot be listed. */
  readableFiles?: readonly { folder: string; matches: (relative: string) => boolean }[];
}

/** The roots of one agent, in lookup order. */
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

  /** Resolves the roots' real paths; see SandboxPlace.resolve. */
  resolvePlaces(): void {
    for (const { place } of this.all) place.resolve();
  }

  /** Returns the first root that is or contains this real path. */
  find(real: string, access: PathAccess): Root | undefined {
    return this.all.find((one) =>
      (access === "read" || one.access === "write") && isWithin(real, one.place.real) &&
      (one.matches === undefined || one.matches(relative(one.place.real, real)))
    );
  }

  /** Returns the roots without a pattern that allow this access. */
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
