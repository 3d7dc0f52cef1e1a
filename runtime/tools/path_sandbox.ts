// Which paths an agent may reach: turns what a model wrote into a real path inside an allowed root, or refuses with a
// sentence. What is then done with the path, and the second check on the opened file, stand in sandboxed_files.ts.
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { AgentPath } from "../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../agents/agent_paths.ts";
import type { FileWrite } from "./file_write.ts";
import { PathLocks } from "./path_locks.ts";
import { checkPathText, foldPath, isDatabaseName, isEnvFileName } from "./path_names.ts";
import { realPathOf } from "./real_path.ts";
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

/** A path that passed. It says nothing about what the file system holds a moment later: use sandboxed_files.ts. */
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

interface Place {
  /** As configured. */
  readonly path: string;
  real: string;
  /** Once the place was seen to exist its real path stays: a root that is swapped for a symlink later leads nowhere. */
  pinned: boolean;
}

interface Root extends Place {
  readonly alias: string | null;
  readonly access: PathAccess;
  readonly description: string | undefined;
  /** Which paths relative to it count; undefined: all. */
  readonly matches?: (relative: string) => boolean;
}

const ALIAS_PREFIX = /^\{([a-z][a-z0-9_]*)\}(?=$|\/)/;

/** The paths of one agent. Holds no open file; make one per execution. */
export class PathSandbox {
  readonly workspace: string;
  /** Keeps calls that change the same file from overtaking each other. */
  readonly locks = new PathLocks();
  readonly #home: string;
  readonly #onWrite: ((write: FileWrite) => void) | undefined;
  readonly #roots: Root[];
  readonly #denied: (Place & { what: string })[];

  constructor(options: PathSandboxOptions) {
    this.workspace = resolve(options.workspace);
    this.#home = options.home;
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
        : [{ ...place(options.agentsDir), what: "the agents folder" }]),
      { ...place(options.configDir), what: "the configuration folder" },
      { ...place(options.stateDir), what: "the service's state folder" },
    ];
  }

  /** Tells of a change that is about to be made. */
  report(write: FileWrite): void {
    this.#onWrite?.(write);
  }

  /** Where the agent may go, real paths. */
  async roots(): Promise<SandboxRoot[]> {
    await this.#settle();
    const places = this.#roots.filter(({ matches }) => matches === undefined);
    return places.map(({ alias, real, access, description }) => ({
      alias,
      path: real,
      access,
      ...(description === undefined ? {} : { description }),
    }));
  }

  /**
   * The real path behind what a model wrote: `{alias}/...`, `{workspace}/...`, `~/...`, absolute, or relative to the
   * workspace root. Throws ToolFailure when it lies outside every allowed root or is denied.
   */
  async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const asked = this.expand(text);
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
    return { path, display: this.display(path), access, exists };
  }

  /**
   * The same for an entry that is to be removed or moved: its folder is real, the entry itself is not followed. What a
   * symlink leads to must be allowed as well, unless it leads to nothing.
   */
  async resolveEntry(text: string): Promise<ResolvedPath> {
    const asked = this.expand(text);
    await this.#settle();
    const target = await realPathOf(asked, text);
    if (!target.dangling) await this.resolve(text, "write");
    const folder = await realPathOf(dirname(asked), text);
    const path = join(folder.path, basename(asked));
    this.#admit(text, path, "write");
    return {
      path,
      display: this.display(path),
      access: "write",
      exists: target.exists || target.dangling,
    };
  }

  /** The absolute path that a text names, symlinks not looked at. Throws ToolFailure for a text that names none. */
  expand(text: string): string {
    checkPathText(text);
    const alias = ALIAS_PREFIX.exec(text)?.[1];
    if (alias !== undefined) return join(this.#aliasPath(alias), text.slice(alias.length + 2));
    if (text === "~" || text.startsWith("~/")) return join(this.#home, text.slice(1));
    return resolve(this.workspace, text);
  }

  /** Whether a real path may be used so. Looks at names only, so it suits listing; opening still goes through resolve. */
  allows(real: string, access: PathAccess): boolean {
    return this.#rootOf(real, access) !== undefined && this.refusal(real, access) === undefined;
  }

  /** Why a path inside the roots is closed nevertheless, as the rest of a sentence; undefined when it is not. */
  refusal(absolute: string, access: PathAccess): string | undefined {
    const inDenied = this.#denied.find((one) =>
      isWithin(absolute, one.path) || isWithin(absolute, one.real)
    );
    if (inDenied !== undefined) return `${inDenied.what} is closed to agents`;
    if (absolute.split(sep).some(isEnvFileName)) {
      return "environment files (.env*) are closed to agents";
    }
    if (access === "read") return undefined;
    // Above the root the names are not the agent's: a workspace may well lie in a folder named app.db.d.
    const found = this.#rootOf(absolute, "read");
    const parts = found === undefined
      ? absolute.split(sep)
      : [...found.real.split(sep).slice(-1), ...relative(found.real, absolute).split(sep)];
    if (parts.some(isDatabaseName)) {
      return "database files (*.db*, *.sqlite*) cannot be written by agents";
    }
    return undefined;
  }

  /**
   * A path for the model's eyes: `{alias}/...` under a declared path, else relative to the workspace; absolute only
   * outside both. What comes out resolves to the same path again.
   */
  display(absolute: string): string {
    let best: { root: Root; base: string } | undefined;
    for (const one of this.#roots) {
      if (one.alias === null || one.alias === WORKSPACE_ALIAS) continue;
      const base = [one.real, one.path].find((path) => isWithin(absolute, path));
      if (base !== undefined && (best === undefined || base.length > best.base.length)) {
        best = { root: one, base };
      }
    }
    if (best !== undefined) {
      const rest = relative(best.base, absolute);
      return rest === "" ? `{${best.root.alias}}` : `{${best.root.alias}}/${rest}`;
    }
    const workspaceRoot = this.#roots.find((one) => one.alias === WORKSPACE_ALIAS);
    const base = [workspaceRoot?.real, this.workspace].find((path) =>
      path !== undefined && isWithin(absolute, path)
    );
    if (base === undefined) return absolute;
    const rest = relative(base, absolute);
    if (rest === "") return ".";
    return /^[{~]/.test(rest) ? `./${rest}` : rest;
  }

  /** The root whose file or folder this real path is or lies in. */
  #rootOf(real: string, access: PathAccess): Root | undefined {
    return this.#roots.find((one) =>
      (access === "read" || one.access === "write") && isWithin(real, one.real) &&
      (one.matches === undefined || one.matches(relative(one.real, real)))
    );
  }

  #admit(text: string, real: string, access: PathAccess): void {
    const refusal = this.refusal(real, access);
    if (refusal !== undefined) throw new ToolFailure(`Cannot ${access} "${text}": ${refusal}.`);
    if (this.#rootOf(real, access) !== undefined) return;
    throw new ToolFailure(this.#outsideSentence(text, real, access));
  }

  #aliasPath(alias: string): string {
    if (alias === WORKSPACE_ALIAS) return this.workspace;
    const found = this.#roots.find((one) => one.alias === alias);
    if (found !== undefined) return found.path;
    throw new ToolFailure(
      `Unknown path alias {${alias}}. Known are: ${this.#aliases().join(", ")}. ` +
        `A file that really has this name is written "./{${alias}}".`,
    );
  }

  #aliases(): string[] {
    const aliases = this.#roots.flatMap(({ alias }) => alias === null ? [] : [alias]);
    return [...new Set([...aliases, WORKSPACE_ALIAS])].map((alias) => `{${alias}}`);
  }

  #outsideSentence(text: string, real: string, access: PathAccess): string {
    if (access === "write" && this.#rootOf(real, "read") !== undefined) {
      return `Cannot write "${text}": this path can only be read.`;
    }
    const open = this.#roots
      .filter((one) => one.matches === undefined && (access === "read" || one.access === "write"))
      .map((one) => one.alias === null ? this.display(one.real) : `{${one.alias}}`);
    return `Cannot ${access} "${text}": it lies outside the allowed paths. Allowed: ${
      open.join(", ")
    }.`;
  }

  async #settle(): Promise<void> {
    const unsettled = [...this.#roots, ...this.#denied].filter(({ pinned }) => !pinned);
    await Promise.all(unsettled.map(async (one) => {
      const { path, exists, dangling } = await realPathOf(one.path, one.path);
      one.real = path;
      one.pinned = exists && !dangling;
    }));
  }
}

/** Whether a path is a folder or lies anywhere in it. Both absolute; letter case counts where the platform's does. */
export function isWithin(path: string, folder: string): boolean {
  const rest = relative(foldPath(folder), foldPath(path));
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

function place(path: string): Place {
  return { path: resolve(path), real: resolve(path), pinned: false };
}

function root(
  path: string,
  alias: string | null,
  access: PathAccess,
  description: string | undefined,
): Root {
  return { ...place(path), alias, access, description };
}
