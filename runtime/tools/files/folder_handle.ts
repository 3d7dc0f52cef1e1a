// An open directory descriptor. Operations on its entries cannot be redirected by swapping the path, and the kernel reports
// which folder is open.
//
// Some folders cannot be held: on other systems than Linux, without a descriptor link (files/descriptor_link.ts), or closed
// by Deno's flags. Then their paths are used, and unmoved_folder.ts detects moves by the folders' times.
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { newContentName, noteStaging } from "../../../base/files/staged_files.ts";
import { errorCode } from "../../../base/error_code.ts";
import { type FileIdentity, identityOf } from "./place.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import type { PathAccess } from "./sandbox_roots.ts";
import { PlaceChanged } from "./file_failure.ts";
import { FILE_CLOCK, isReal, isUnmoved, waitUntilUnmoved } from "./unmoved_folder.ts";

const { O_DIRECTORY, O_RDONLY } = fs.constants;
/** Linux only: also opens a folder that may be entered but not listed. */
const O_PATH = 0o10000000;
/** The number of attempts to find an entry that is missing from a folder without a descriptor: tens of milliseconds. */
const UNDO_ATTEMPTS = 300;

/** The options of a held folder. */
export interface FolderOptions {
  /** The link to this process's descriptors. Undefined: the folder's path is used. */
  descriptors: string | undefined;
  access: PathAccess;
  /** Records the folders with staged files, for the cleanup after a crash. */
  stateDir: string;
}

/** The folder that its real path named when it was opened. Dispose of it only after every call with its paths has ended. */
export class FolderHandle implements Disposable {
  /** The real path, as the sandbox admitted it. */
  readonly path: string;
  readonly #options: FolderOptions;
  readonly #fd: number | undefined;
  /** For a folder without a descriptor: the time since which it has not moved. */
  #since = 0;

  private constructor(path: string, fd: number | undefined, options: FolderOptions) {
    this.path = path;
    this.#fd = fd;
    this.#options = options;
  }

  /** Opens a folder. Throws PlaceChanged when the path was replaced, and file system errors. */
  static async open(path: string, options: FolderOptions): Promise<FolderHandle> {
    const { access, descriptors } = options;
    const fd = descriptors === undefined ? undefined : openFolder(path, path, access);
    const folder = new FolderHandle(path, fd, options);
    try {
      if (fd !== undefined && fs.readlinkSync(`${descriptors}/${fd}`) !== path) {
        throw new PlaceChanged();
      }
      await folder.waitUntilUnmoved();
      return folder;
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens a folder for writing. Missing folders are created one by one, each in its held parent. */
  static async create(path: string, options: FolderOptions): Promise<FolderHandle> {
    try {
      return await FolderHandle.open(path, options);
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    }
    using parent = await FolderHandle.create(dirname(path), options);
    parent.#makeFolder(basename(path));
    return await parent.#openFolder(basename(path));
  }

  /** Returns a path to an entry, for system calls that do not follow links. After opening a file, call `has`. */
  pathOf(name: string): string {
    const { descriptors } = this.#options;
    return this.#fd === undefined ? join(this.path, name) : `${descriptors}/${this.#fd}/${name}`;
  }

  /**
   * Returns a path to an entry that will be changed. Throws NotCapable when Deno's flags close the entry: Deno cannot check
   * a path through a descriptor.
   */
  writablePath(name: string): string {
    if (this.#fd !== undefined) requireWritable(join(this.path, name));
    return this.pathOf(name);
  }

  /**
   * Returns true if the folder contains this very entry; links are not followed. After opening a file, true proves that the
   * open file is in this folder.
   *
   * The check is needed because Deno resolves a path before opening it, unless it has all permissions, and so opens the
   * file at the real path (measured with 2.9.6). Other calls do not. `since`: Infinity checks the present moment only.
   */
  has(name: string, identity: FileIdentity, since = this.#since): boolean {
    try {
      if (identityOf(fs.lstatSync(this.pathOf(name), { bigint: true })) !== identity) return false;
      return this.#fd !== undefined || isUnmoved(this.path, since);
    } catch (error) {
      // Deno's flags may allow a file but not its folder. Then only the real path can be checked.
      if (error instanceof Deno.errors.NotCapable) return isReal(join(this.path, name));
      // The entry is gone or unreadable.
      return false;
    }
  }

  /** Waits, before a change, until a folder without a descriptor has stayed in its place for a while. Throws PlaceChanged. */
  async waitUntilUnmoved(): Promise<void> {
    if (this.#fd !== undefined) return;
    await waitUntilUnmoved(this.path);
    this.#since = FILE_CLOCK.now();
  }

  /**
   * Checks right before and after a change that a folder without a descriptor has not moved since it settled. Throws
   * PlaceChanged.
   */
  requireUnmoved(): void {
    if (this.#fd === undefined && !isUnmoved(this.path, this.#since)) throw new PlaceChanged();
  }

  /** Creates an empty file that only its owner can read, and returns its name. */
  createStagedFile(): string {
    this.requireUnmoved();
    if (this.#fd !== undefined) requireWritable(this.path);
    this.noteStaging();
    return basename(Deno.makeTempFileSync({ dir: this.pathOf("."), ...newContentName() }));
  }

  /** Records the folder before an entry gets a staged name, so that the next start finds leftovers of a killed process. */
  noteStaging(): void {
    noteStaging(this.#options.stateDir, this.path);
  }

  /**
   * Runs a change that cleans up an entry with a staged name. Without a descriptor the folder may be replaced at this
   * moment, so a failed cleanup is tried again.
   */
  undo(change: () => void): void {
    const searches = this.#fd === undefined ? UNDO_ATTEMPTS : 1;
    for (let search = 0; search < searches; search++) {
      try {
        return change();
      } catch (error) {
        ignoreMissing(error);
      }
    }
  }

  /** Flushes the folder's list of entries to the disk. */
  sync(): void {
    const fd = this.#fd ?? fs.openSync(this.path, O_RDONLY | O_DIRECTORY);
    try {
      fs.fsyncSync(fd);
    } catch (error) {
      // Some network file systems cannot sync a folder. The file itself is on the disk.
      if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EBADF"].includes(errorCode(error) ?? "")) {
        throw error;
      }
    } finally {
      if (fd !== this.#fd) fs.closeSync(fd);
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
  }

  #makeFolder(name: string): void {
    // Deno's flags may allow a folder that does not exist yet, but not its parent.
    const isAllowed = canRead(this.path);
    if (isAllowed) this.requireUnmoved();
    try {
      fs.mkdirSync(this.writablePath(name));
    } catch (error) {
      // Another call may have created the entry. Opening it checks that it is a folder.
      if (errorCode(error) !== "EEXIST") throw error;
      return;
    }
    try {
      if (isAllowed) this.requireUnmoved();
    } catch (error) {
      this.undo(() => fs.rmdirSync(this.pathOf(name)));
      throw error;
    }
  }

  async #openFolder(name: string): Promise<FolderHandle> {
    const path = join(this.path, name);
    if (this.#fd === undefined) return await FolderHandle.open(path, this.#options);
    const fd = openFolder(this.pathOf(name), path, this.#options.access);
    if (fd === undefined || this.has(name, identityOf(fs.fstatSync(fd, { bigint: true })))) {
      return new FolderHandle(path, fd, this.#options);
    }
    fs.closeSync(fd);
    throw new PlaceChanged();
  }
}

/** Opens a folder. Returns undefined when Deno's flags close `path`. */
function openFolder(place: string, path: string, access: PathAccess): number | undefined {
  try {
    return fs.openSync(place, (access === "write" ? O_RDONLY : O_PATH) | O_DIRECTORY);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    // The path is permitted, so only the target of a link in its place can be closed.
    if (canRead(path)) throw new PlaceChanged("", { cause: error });
    return undefined;
  }
}

function canRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function requireWritable(path: string): void {
  if (Deno.permissions.querySync({ name: "write", path }).state === "granted") return;
  throw new Deno.errors.NotCapable(`Requires write access to "${path}"`);
}
