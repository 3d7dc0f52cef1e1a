// Converts a path that the model wrote into a real path inside an allowed root, or throws a ToolFailure with the reason.
// The closed places are in closed_places.ts, the notation in path_notation.ts.
// opened_file.ts, write_file.ts, remove_file.ts and move_file.ts use the path and check the file itself.
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { AgentPath } from "../../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import { isDatabaseName } from "../../../base/files/database_name.ts";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";
import { findDescriptors } from "../../../base/files/descriptor_link.ts";
import { KeyedQueue } from "../../../base/serial_queue.ts";
import { type ClosedFolders, ClosedPlaces } from "./closed_places.ts";
import { FolderHandle, type FolderOptions } from "./folder_handle.ts";
import { type NamedPlace, PathNotation } from "./path_notation.ts";
import { isWithin, type PathAccess, realPathOf, SandboxPlace } from "./place.ts";
import type { FileWrite } from "./reported_write.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { SandboxRoot } from "../../vocabulary/prompt_material.ts";

/** A path that passed the check. The file system may change after the check, so each use must check the file again. */
export interface ResolvedPath {
  /** The absolute path. No part of it was a symlink when it was checked. */
  path: string;
  /** The path as shown to the model: relative to the workspace, or `{alias}/...`. */
  display: string;
  /** True if the path existed when it was checked. */
  exists: boolean;
}

/** The options of PathSandbox. All paths are absolute, except `extraReadPaths`, which are relative to the workspace. */
export interface PathSandboxOptions extends ClosedFolders {
  workspace: string;
  /** The agent's declared paths. If the list is empty, the workspace is the root, except with `needsPaths`. */
  paths: readonly AgentPath[];
  /** True for an agent that can open no file while `paths` is empty. */
  needsPaths?: boolean;
  /** Watched paths, which are readable in addition to `paths`. */
  extraReadPaths?: readonly string[];
  /** Watched patterns: the files that match are readable, but their folders cannot be listed. */
  readableFiles?: readonly { folder: string; matches: (relative: string) => boolean }[];
  /** The folder that `~` names. */
  home: string;
  /** Called with each change that a tool makes, before the change is visible. */
  onWrite?: (write: FileWrite) => void;
}

/** A folder with its content, or one file, that an agent may reach. */
interface Root extends NamedPlace {
  /** The highest access to the root: `write` includes reading. */
  readonly access: PathAccess;
  readonly description?: string;
  /** Returns true if a path relative to the root belongs to it. Undefined: all paths below the root do. */
  readonly matches?: (relative: string) => boolean;
}

/** The check of the paths of one agent. Create one per execution. It keeps no file open. */
export class PathSandbox {
  readonly workspace: string;
  /** Converts between absolute paths and the paths that the model sees. */
  readonly notation: PathNotation;
  /**
   * Makes calls wait for each other before they change the same file. It is needed although the calls of one reply run in
   * order: a timed-out call may continue to write.
   */
  readonly changes = new KeyedQueue();
  readonly #onWrite: ((write: FileWrite) => void) | undefined;
  readonly #roots: readonly Root[];
  readonly #closed: ClosedPlaces;
  readonly #holding: Omit<FolderOptions, "access">;

  constructor(options: PathSandboxOptions) {
    this.workspace = resolve(options.workspace);
    this.#onWrite = options.onWrite;
    this.#roots = rootsOf({ ...options, workspace: this.workspace });
    this.#closed = new ClosedPlaces(options);
    const { stateDir } = options;
    this.#holding = { stateDir, descriptors: findDescriptors(stateDir) };
    this.notation = new PathNotation({
      workspace: this.workspace,
      home: options.home,
      places: this.#roots,
    });
  }

  /** The configured paths of the folders that no agent may use. */
  get closedFolders(): string[] {
    return this.#closed.folders;
  }

  /** Passes a change that is about to be made to `onWrite`. */
  report(write: FileWrite): void {
    this.#onWrite?.(write);
  }

  /** Returns the folders and files that the agent may reach, with real paths. */
  // deno-lint-ignore require-await -- rejects instead of throwing, like every other file system call
  async roots(): Promise<SandboxRoot[]> {
    this.#resolvePlaces();
    return this.#wholeRoots("read").map(({ alias, place, description }) => ({
      alias,
      path: place.real,
      // A watched folder is writable if it lies in a writable root.
      access: this.#rootOf(place.real, "write") === undefined ? "read" : "write",
      ...(description === undefined ? {} : { description }),
    }));
  }

  /**
   * Returns the real path of an entry to read or write. Throws ToolFailure if the path is closed, or outside of every root
   * that allows this access.
   */
  // deno-lint-ignore require-await -- as roots()
  async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const asked = this.notation.expand(text);
    this.#resolvePlaces();
    const { path, exists, dangling } = realPathOf(asked, text);
    if (dangling) {
      throw new ToolFailure(
        `Cannot use "${text}": it is, or contains, a symbolic link to something that does not exist.`,
      );
    }
    // The written path and the real path must not be closed. Only the real path must lie in a root, because the written
    // path may lead through a symlink.
    const refusal = this.refusal(asked, access);
    if (refusal !== undefined) throw new ToolFailure(`Cannot ${access} "${text}": ${refusal}.`);
    this.#admit(text, path, access);
    return { path, display: this.notation.display(path), exists };
  }

  /**
   * Returns the path of an entry to remove or move. Follows symlinks in its folder's path, but not the entry itself. Throws
   * ToolFailure like `resolve`.
   */
  async resolveEntry(text: string): Promise<ResolvedPath> {
    const asked = this.notation.expand(text);
    this.#resolvePlaces();
    const target = realPathOf(asked, text);
    if (!target.dangling) await this.resolve(text, "write");
    const folder = realPathOf(dirname(asked), text);
    const path = join(folder.path, basename(asked));
    this.#admit(text, path, "write");
    return {
      path,
      display: this.notation.display(path),
      exists: target.exists || target.dangling,
    };
  }

  /**
   * Opens the folder of a path that was resolved. Throws PlaceChanged and file system errors. The caller must dispose of
   * the result.
   */
  openFolder(folder: string, access: PathAccess): Promise<FolderHandle> {
    return FolderHandle.open(folder, { ...this.#holding, access });
  }

  /** Opens the folder for writing, and creates missing folders. The caller must dispose of the result. */
  createFolder(folder: string): Promise<FolderHandle> {
    return FolderHandle.create(folder, { ...this.#holding, access: "write" });
  }

  /** Returns true if a real path may be listed. Checks only the path: to read the file, open it through `resolve`. */
  isReadable(real: string): boolean {
    return this.#rootOf(real, "read") !== undefined && this.refusal(real, "read") === undefined;
  }

  /** Returns a test of the entries of a folder: the same as isReadable(), in less time for many entries. */
  readableEntries(folder: string): (path: string, name: string) => boolean {
    const isWhole = this.isReadable(folder) && this.#closed.areOutside(folder) &&
      this.#wholeRoots("read").some(({ place }) => isWithin(folder, place.real));
    return isWhole ? (_, name) => !isEnvFileName(name) : (path) => this.isReadable(path);
  }

  /** Returns the reason that a path inside the roots is closed, as a clause, or undefined. */
  refusal(absolute: string, access: PathAccess): string | undefined {
    const closed = this.#closed.refusal(absolute);
    if (closed !== undefined) return closed;
    if (access === "read") return undefined;
    // A folder above the root may have the name of a database file, such as app.db.d. So only the root's name and the names
    // below it are checked.
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
    return `Cannot ${access} "${text}": it lies outside the allowed paths. Allowed: ${
      this.notation.list(this.#wholeRoots(access))
    }.`;
  }

  #resolvePlaces(): void {
    for (const { place } of this.#roots) place.resolve();
    this.#closed.resolvePlaces();
  }

  /** Returns the first root that allows this access and is, or contains, this real path. Undefined if there is none. */
  #rootOf(real: string, access: PathAccess): Root | undefined {
    return this.#roots.find((one) =>
      (access === "read" || one.access === "write") && isWithin(real, one.place.real) &&
      (one.matches === undefined || one.matches(relative(one.place.real, real)))
    );
  }

  /** Returns the roots that allow this access to all of their content. */
  #wholeRoots(access: PathAccess): Root[] {
    return this.#roots.filter((one) =>
      one.matches === undefined && (access === "read" || one.access === "write")
    );
  }
}

/** Returns the roots: the declared paths, or else the workspace, and additional read-only paths. */
function rootsOf(
  { workspace, paths, needsPaths = false, extraReadPaths = [], readableFiles = [] }:
    PathSandboxOptions,
): Root[] {
  const declared: readonly AgentPath[] = paths.length > 0 || needsPaths
    ? paths
    : [{ alias: WORKSPACE_ALIAS, path: workspace }];
  const readOnly = (path: string): Root => (
    { alias: null, place: new SandboxPlace(path), access: "read" }
  );
  return [
    ...declared.map(({ path, ...named }): Root => (
      { ...named, place: new SandboxPlace(path), access: "write" }
    )),
    ...extraReadPaths.map((path) => readOnly(resolve(workspace, path))),
    ...readableFiles.map(({ folder, matches }) => ({ ...readOnly(folder), matches })),
  ];
}
