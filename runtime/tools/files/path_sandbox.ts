// The paths that an agent may reach. Converts a path written by the model into a real path inside an allowed root, or
// refuses it with a sentence. The roots are in sandbox_roots.ts, the closed places in closed_places.ts, the notation in
// path_notation.ts. The uses of a path, with the second check on the file itself, are in opened_file.ts, write_file.ts,
// remove_file.ts and move_file.ts.
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isDatabaseName } from "../../../base/files/database_name.ts";
import { findDescriptors } from "../../../base/files/descriptor_link.ts";
import { type ClosedFolders, ClosedPlaces } from "./closed_places.ts";
import { FolderHandle, type FolderOptions } from "./folder_handle.ts";
import { PathLocks } from "./path_locks.ts";
import { PathNotation } from "./path_notation.ts";
import { realPathOf } from "./place.ts";
import { type PathAccess, SandboxRoots, type SandboxRootsOptions } from "./sandbox_roots.ts";
import type { FileWrite } from "./reported_write.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** A place that an agent may reach: a folder with its content, or one file. */
export interface SandboxRoot {
  /** The name in tools and prompts, without braces. `workspace` is the workspace root, null a watched path. */
  alias: string | null;
  /** Absolute; symlinks are resolved as far as the path exists. */
  path: string;
  /** The highest access that is allowed in it. */
  access: PathAccess;
  description?: string;
}

/** A path that passed the check. The file system may change right after, so each use checks again. */
export interface ResolvedPath {
  /** Absolute and real: no part of it was a symlink at the check. */
  path: string;
  /** The model's notation: relative to the workspace, or `{alias}/...`. */
  display: string;
  access: PathAccess;
  /** True if the path existed. */
  exists: boolean;
}

/** The options of a sandbox. All paths are absolute. */
export interface PathSandboxOptions extends ClosedFolders, SandboxRootsOptions {
  /** The folder behind `~`. */
  home: string;
  /** Called with each change by a tool, before the change is visible. */
  onWrite?: (write: FileWrite) => void;
}

/** The paths of one agent. Holds no open file; create one per execution. */
export class PathSandbox {
  readonly workspace: string;
  /** The notation of its paths. */
  readonly notation: PathNotation;
  /** Serializes calls that change the same file. */
  readonly locks = new PathLocks();
  readonly #onWrite: ((write: FileWrite) => void) | undefined;
  readonly #roots: SandboxRoots;
  readonly #closed: ClosedPlaces;
  readonly #holding: Omit<FolderOptions, "access">;

  constructor(options: PathSandboxOptions) {
    this.workspace = resolve(options.workspace);
    this.#onWrite = options.onWrite;
    this.#roots = new SandboxRoots({ ...options, workspace: this.workspace });
    this.#closed = new ClosedPlaces(options);
    const { stateDir } = options;
    this.#holding = { stateDir, descriptors: findDescriptors(stateDir) };
    this.notation = new PathNotation({
      workspace: this.workspace,
      home: options.home,
      places: this.#roots.all,
    });
  }

  /** The closed folders. */
  get closedFolders(): string[] {
    return this.#closed.folders;
  }

  /** Reports a change that is about to be made. */
  report(write: FileWrite): void {
    this.#onWrite?.(write);
  }

  /** Returns the places that the agent may reach, with real paths. */
  // deno-lint-ignore require-await -- rejects instead of throwing, like every other file system call
  async roots(): Promise<SandboxRoot[]> {
    this.#resolvePlaces();
    return this.#roots.findWhole("read").map(({ alias, place, description }) => ({
      alias,
      path: place.real,
      // A watched folder may lie in a writable place.
      access: this.#roots.find(place.real, "write") === undefined ? "read" : "write",
      ...(description === undefined ? {} : { description }),
    }));
  }

  /** Throws ToolFailure when the path is closed, or outside of every allowed root. */
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
    // The written path may run through a symlink, such as a linked root. Only its real path must lie inside.
    const refusal = this.refusal(asked, access);
    if (refusal !== undefined) throw new ToolFailure(`Cannot ${access} "${text}": ${refusal}.`);
    this.#admit(text, path, access);
    return { path, display: this.notation.display(path), access, exists };
  }

  /** Resolves an entry to remove or move: follows symbolic links in the folder's path, but not the entry itself. */
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
      access: "write",
      exists: target.exists || target.dangling,
    };
  }

  /** Opens the folder of an admitted path. Throws PlaceChanged and file system errors. Dispose of the result. */
  openFolder(folder: string, access: PathAccess): Promise<FolderHandle> {
    return FolderHandle.open(folder, { ...this.#holding, access });
  }

  /** Opens the folder for writing. Missing folders are created. */
  createFolder(folder: string): Promise<FolderHandle> {
    return FolderHandle.create(folder, { ...this.#holding, access: "write" });
  }

  /** Returns true if a real path may be read. Checks names only, for listing; opening still goes through `resolve`. */
  isReadable(real: string): boolean {
    return this.#roots.find(real, "read") !== undefined && this.refusal(real, "read") === undefined;
  }

  /** Returns the reason that a path inside the roots is closed, as the rest of a sentence, or undefined. */
  refusal(absolute: string, access: PathAccess): string | undefined {
    const closed = this.#closed.refusal(absolute);
    if (closed !== undefined) return closed;
    if (access === "read") return undefined;
    // Names above the root are not the agent's: a workspace may lie in a folder named app.db.d.
    const found = this.#roots.find(absolute, "read");
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
    if (this.#roots.find(real, access) !== undefined) return;
    throw new ToolFailure(this.#outsideSentence(text, real, access));
  }

  #outsideSentence(text: string, real: string, access: PathAccess): string {
    if (access === "write" && this.#roots.find(real, "read") !== undefined) {
      return `Cannot write "${text}": this path can only be read.`;
    }
    return `Cannot ${access} "${text}": it lies outside the allowed paths. Allowed: ${
      this.notation.list(this.#roots.findWhole(access))
    }.`;
  }

  #resolvePlaces(): void {
    this.#roots.resolvePlaces();
    this.#closed.resolvePlaces();
  }
}
