// Which paths an agent may reach: turns what a model wrote into a real path inside an allowed root, or refuses with a
// sentence. Where it may go, what is closed all the same and how paths are written stands in sandbox_roots.ts,
// closed_places.ts and path_notation.ts; what is then done with the path, and the second check on the file itself, in
// opened_file.ts, write_file.ts, remove_file.ts and move_file.ts.
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isDatabaseName } from "../../../base/files/database_name.ts";
import { findDescriptors } from "../../../base/files/descriptor_link.ts";
import { type ClosedFolders, ClosedPlaces } from "./closed_places.ts";
import { HeldFolder, type HoldOptions } from "./held_folder.ts";
import { PathLocks } from "./path_locks.ts";
import { PathNotation } from "./path_notation.ts";
import { realPathOf } from "./place.ts";
import { type PathAccess, SandboxRoots, type SandboxRootsOptions } from "./sandbox_roots.ts";
import type { FileWrite } from "./reported_write.ts";
import { ToolFailure } from "../tool_failure.ts";

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
export interface PathSandboxOptions extends ClosedFolders, SandboxRootsOptions {
  /** What `~` stands for. */
  home: string;
  /** Hears of each change that a tool makes, before it can be seen. */
  onWrite?: (write: FileWrite) => void;
}

/** The paths of one agent. Holds no open file; make one per execution. */
export class PathSandbox {
  readonly workspace: string;
  /** How its paths are written. */
  readonly notation: PathNotation;
  /** Keeps calls that change the same file from overtaking each other. */
  readonly locks = new PathLocks();
  readonly #onWrite: ((write: FileWrite) => void) | undefined;
  readonly #roots: SandboxRoots;
  readonly #closed: ClosedPlaces;
  readonly #holding: Omit<HoldOptions, "access">;

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

  /** The folders that are closed, wherever they stand. */
  get closedFolders(): string[] {
    return this.#closed.folders;
  }

  /** Tells of a change that is about to be made. */
  report(write: FileWrite): void {
    this.#onWrite?.(write);
  }

  /** Where the agent may go, real paths. */
  // deno-lint-ignore require-await -- it rejects, as all that asks the file system does
  async roots(): Promise<SandboxRoot[]> {
    this.#settle();
    return this.#roots.whole("read").map(({ alias, place, description }) => ({
      alias,
      path: place.real,
      // A watched folder may lie in a place that can be written to.
      access: this.#roots.of(place.real, "write") === undefined ? "read" : "write",
      ...(description === undefined ? {} : { description }),
    }));
  }

  /**
   * The real path behind what a model wrote: `{alias}/...`, `{workspace}/...`, `~/...`, absolute, or relative to the
   * workspace root. Throws ToolFailure when it lies outside every allowed root or is denied.
   */
  // deno-lint-ignore require-await -- as roots()
  async resolve(text: string, access: PathAccess): Promise<ResolvedPath> {
    const asked = this.notation.expand(text);
    this.#settle();
    const { path, exists, dangling } = realPathOf(asked, text);
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
    this.#settle();
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

  /** Holds the folder of a path that passed. Throws PlaceChanged, and what the file system throws. Dispose of it. */
  hold(folder: string, access: PathAccess): Promise<HeldFolder> {
    return HeldFolder.open(folder, { ...this.#holding, access });
  }

  /** The same for writing; a missing folder is made, with those above it. */
  makeHeld(folder: string): Promise<HeldFolder> {
    return HeldFolder.make(folder, { ...this.#holding, access: "write" });
  }

  /** Whether a real path may be read. Looks at names only, so it suits listing; opening still goes through resolve. */
  isReadable(real: string): boolean {
    return this.#roots.of(real, "read") !== undefined && this.refusal(real, "read") === undefined;
  }

  /** Why a path inside the roots is closed nevertheless, as the rest of a sentence; undefined when it is not. */
  refusal(absolute: string, access: PathAccess): string | undefined {
    const closed = this.#closed.refusal(absolute);
    if (closed !== undefined) return closed;
    if (access === "read") return undefined;
    // Above the root the names are not the agent's: a workspace may well lie in a folder named app.db.d.
    const found = this.#roots.of(absolute, "read");
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
    if (this.#roots.of(real, access) !== undefined) return;
    throw new ToolFailure(this.#outsideSentence(text, real, access));
  }

  #outsideSentence(text: string, real: string, access: PathAccess): string {
    if (access === "write" && this.#roots.of(real, "read") !== undefined) {
      return `Cannot write "${text}": this path can only be read.`;
    }
    return `Cannot ${access} "${text}": it lies outside the allowed paths. Allowed: ${
      this.notation.list(this.#roots.whole(access))
    }.`;
  }

  #settle(): void {
    this.#roots.settle();
    this.#closed.settle();
  }
}
