// Which paths an agent may reach: turns what a model wrote into a real path inside an allowed root, or refuses with a
// sentence. How such paths are written stands in path_notation.ts; what is then done with the path, and the second check on
// the file itself, in opened_file.ts and file_changes.ts.
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { AgentPath } from "../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../agents/agent_paths.ts";
import type { FileWrite } from "./file_write.ts";
import { PathLocks } from "./path_locks.ts";
import { isDatabaseName, isEnvFileName } from "./path_names.ts";
import { type NamedPlace, PathNotation } from "./path_notation.ts";
import { isWithin } from "./path_within.ts";
import { realPathOf } from "./real_path.ts";
import { SandboxPlace } from "./sandbox_place.ts";
import { ToolFailure } from "./tool_failure.ts";

/** What a path is wanted for. Deleting and moving are writing. */
export type PathAccess = "read" | "write";

/** A place that an agent may reach: a folder with all below it, or just one file. */
export interface SandboxRoot {
  /** As tools and prompts name it, without braces; `workspace` is the workspace root, null a watched path. */
  alias: string | null;
  /** Absolute, symlinks resolved as far as the path exists. */
  path: string;
  /** The most that is allowed in it. */
  access: PathAccess;
  description?: string;
}

/** A path that passed. It says nothing about what the file system holds a moment later: who uses it checks once more. */
export interface ResolvedPath {
  /** Absolute and real: no part of it was a symlink when it was looked at. */
  path: string;
  /** As the model should see it: relative to the workspace, or `{alias}/...`. */
  display: string;
  access: PathAccess;
  /** Whether something was there. */
  exists: boolean;
}

/** What a sandbox is made of. All paths are absolute. */
export interface PathSandboxOptions {
  workspace: string;
  /** Closed; null only for a sandbox that itself lies in it. */
  agentsDir: string | null;
  configDir: string;
  stateDir: string;
  /** The agent's declared paths; empty: the workspace root. */
  paths: readonly AgentPath[];
  /** Watched paths: readable in addition. */
  extraReadPaths?: readonly string[];
  /** Files of a watched pattern: readable in addition, but no place to look around in. */
  readableFiles?: readonly { folder: string; matches: (relative: string) => boolean }[];
  /** What `~` stands for. */
  home: string;
  /** Hears of each change that a tool makes, before it can be seen. */
  onWrite?: (write: FileWrite) => void;
}

interface Root extends NamedPlace {
  readonly access: PathAccess;
  readonly description: string | undefined;
  /** Which paths relative to it count; undefined: all. */
  readonly matches?: (relative: string) => boolean;
}

/** The paths of one agent. Holds no open file; make one per execution. */
export class PathSandbox {
  readonly workspace: string;
  /** How its paths are written. */
  readonly notation: PathNotation;
  /** Keeps calls that change the same file from overtaking each other. */
  readonly locks = new PathLocks();
  readonly #onWrite: ((write: FileWrite) => void) | undefined;
  readonly #roots: Root[];
  readonly #denied: { place: SandboxPlace; what: string }[];

  constructor(options: PathSandboxOptions) {
    this.workspace = resolve(options.workspace);
    this.#onWrite = options.onWrite;
    const declared = options.paths.length > 0
      ? options.paths
      : [{ alias: WORKSPACE_ALIAS, path: this.workspace }];
    this.#roots = [
      ...declared.map((one) => root(one.path, one.alias, "write", one.description)),
      ...(options.extraReadPaths ?? []).map((path) =>
        root(resolve(this.workspace, path), null, "read", undefined)
      ),
      ...(options.readableFiles ?? []).map(({ folder, matches }) => ({
        ...root(folder, null, "read", undefined),
        matches,
      })),
    ];
    this.#denied = [
      ...(options.agentsDir === null
        ? []
        : [{ place: new SandboxPlace(options.agentsDir), what: "the agents folder" }]),
      { place: new SandboxPlace(options.configDir), what: "the configuration folder" },
      { place: new SandboxPlace(options.stateDir), what: "the service's state folder" },
    ];
    this.notation = new PathNotation({
      workspace: this.workspace,
      home: options.home,
      places: this.#roots,
    });
  }

  /** Tells of a change that is about to be made. */
  report(write: FileWrite): void {
    this.#onWrite?.(write);
  }

  /** Where the agent may go, real paths. */
  async roots(): Promise<SandboxRoot[]> {
    await this.#settle();
    const whole = this.#roots.filter(({ matches }) => matches === undefined);
    return whole.map(({ alias, place, access, description }) => ({
      alias,
      path: place.real,
      access,
      ...(description === undefined ? {} : { description }),
    }));
  }

  /**
   * The real path behind what a model wrote: `{alias}/...`, `{workspace}/...`, `~/...`, absolute, or relative to the
   * workspace root. Throws ToolFailure when it lies outside every allowed root or is denied.
   */
  async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const asked = this.notation.expand(text);
    await this.#settle();
    const { path, exists, dangling } = await realPathOf(asked, text);
    if (dangling) {
      throw new ToolFailure(
        `Cannot use "${text}": it is, or leads through, a symbolic link to something that does not exist.`,
      );
    }
    // The path as asked may run through a symlink (a linked root, for one): only its real path has to lie inside.
    const refusal = this.refusal(asked, access);
    if (refusal !== undefined) throw new ToolFailure(`Cannot ${access} "${text}": ${refusal}.`);
    this.#admit(text, path, access);
    return { path, display: this.notation.display(path), access, exists };
  }

  /**
   * The same for an entry that is to be removed or moved: its folder is real, the entry itself is not followed. What a
   * symlink leads to must be allowed as well, unless it leads to nothing.
   */
  async resolveEntry(text: string): Promise<ResolvedPath> {
    const asked = this.notation.expand(text);
    await this.#settle();
    const target = await realPathOf(asked, text);
    if (!target.dangling) await this.resolve(text, "write");
    const folder = await realPathOf(dirname(asked), text);
    const path = join(folder.path, basename(asked));
    this.#admit(text, path, "write");
    return {
      path,
      display: this.notation.display(path),
      access: "write",
      exists: target.exists || target.dangling,
    };
  }

  /** Whether a real path may be used so. Looks at names only, so it suits listing; opening still goes through resolve. */
  allows(real: string, access: PathAccess): boolean {
    return this.#rootOf(real, access) !== undefined && this.refusal(real, access) === undefined;
  }

  /** Why a path inside the roots is closed nevertheless, as the rest of a sentence; undefined when it is not. */
  refusal(absolute: string, access: PathAccess): string | undefined {
    const inDenied = this.#denied.find(({ place }) =>
      isWithin(absolute, place.path) || isWithin(absolute, place.real)
    );
    if (inDenied !== undefined) return `${inDenied.what} is closed to agents`;
    if (absolute.split(sep).some(isEnvFileName)) {
      return "environment files (.env*) are closed to agents";
    }
    if (access === "read") return undefined;
    // Above the root the names are not the agent's: a workspace may well lie in a folder named app.db.d.
    const found = this.#rootOf(absolute, "read");
    const parts = found === undefined ? absolute.split(sep) : [
      ...found.place.real.split(sep).slice(-1),
      ...relative(found.place.real, absolute).split(sep),
    ];
    if (parts.some(isDatabaseName)) {
      return "database files (*.db*, *.sqlite*) cannot be written by agents";
    }
    return undefined;
  }

  /** The root whose file or folder this real path is or lies in. */
  #rootOf(real: string, access: PathAccess): Root | undefined {
    return this.#roots.find((one) =>
      (access === "read" || one.access === "write") && isWithin(real, one.place.real) &&
      (one.matches === undefined || one.matches(relative(one.place.real, real)))
    );
  }

  #admit(text: string, real: string, access: PathAccess): void {
    const refusal = this.refusal(real, access);
    if (refusal !== undefined) throw new ToolFailure(`Cannot ${access} "${text}": ${refusal}.`);
    if (this.#rootOf(real, access) !== undefined) return;
    throw new ToolFailure(this.#outsideSentence(text, real, access));
  }

  #outsideSentence(text: string, real: string, access: PathAccess): string {
    if (access === "write" && this.#rootOf(real, "read") !== undefined) {
      return `Cannot write "${text}": this path can only be read.`;
    }
    const open = this.#roots.filter((one) =>
      one.matches === undefined && (access === "read" || one.access === "write")
    );
    return `Cannot ${access} "${text}": it lies outside the allowed paths. Allowed: ${
      this.notation.list(open)
    }.`;
  }

  async #settle(): Promise<void> {
    await Promise.all([...this.#roots, ...this.#denied].map(({ place }) => place.settle()));
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
