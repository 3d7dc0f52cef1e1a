// Opens a folder and keeps its descriptor. A swap of the path cannot redirect operations through the descriptor, and the
// kernel reports the path of the open folder.
//
// Some folders have no descriptor: on other systems than Linux, without the link of files/descriptor_link.ts, and if Deno's
// flags close the folder. Operations on these folders use their paths, and unmoved_folder.ts detects from the folders'
// times that one was moved.
import * as fs from "node:fs";
import { basename, dirname, join } from "../../../base/plain_path.ts";
import { newContentName, noteStaging } from "../../../base/files/staged_files.ts";
import { errorCode } from "../../../base/error_code.ts";
import { isPermitted } from "../../../base/denied_permission.ts";
import { type FileIdentity, identityOf, type PathAccess } from "./place.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { PlaceChanged } from "./file_failure.ts";
import { FILE_CLOCK, isReal, isUnmoved, waitUntilUnmoved } from "./unmoved_folder.ts";

const { O_DIRECTORY, O_RDONLY } = fs.constants;
/** An open flag of Linux. With it, a folder that may be entered but not listed can be opened, too. */
const O_PATH = 0o10000000;
/**
 * The number of attempts of a cleanup that does not find its entry in a folder without a descriptor. They take tens of
 * milliseconds.
 */
const UNDO_ATTEMPTS = 300;

/** The options for opening a folder. */
export interface FolderOptions {
  /** The path of the link to this process's descriptors. Undefined: operations use the folder's path. */
  descriptors: string | undefined;
  access: PathAccess;
  /** The state folder. It records the folders with staged files, so that a cleanup after a crash finds them. */
  stateDir: string;
}

/** An open folder. Dispose of it only after every operation that uses one of its paths has ended. */
export class FolderHandle implements Disposable {
  /** The real path of the folder, as the sandbox admitted it. */
  readonly path: string;
  readonly #options: FolderOptions;
  readonly #fd: number | undefined;
  /** The time since which a folder without a descriptor has not moved, in milliseconds since 1970. */
  #since = 0;

  private constructor(path: string, fd: number | undefined, options: FolderOptions) {
    this.path = path;
    this.#fd = fd;
    this.#options = options;
  }

  /** Opens a folder. Throws PlaceChanged if the path was replaced after its check, and file system errors. */
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

  /** Opens a folder for writing. Creates missing folders one by one, each through its open parent folder. */
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

  /**
   * Returns the path of an entry for system calls that do not follow symlinks. After opening a file by this path, check it
   * with `has`.
   */
  pathOf(name: string): string {
    const { descriptors } = this.#options;
    return this.#fd === undefined ? join(this.path, name) : `${descriptors}/${this.#fd}/${name}`;
  }

  /**
   * Returns the path of an entry that will be changed. Throws NotCapable if Deno's flags close the entry, because Deno
   * cannot check a path that goes through a descriptor.
   */
  writablePath(name: string): string {
    if (this.#fd !== undefined) requireWritable(join(this.path, name));
    return this.pathOf(name);
  }

  /**
   * Returns true if `name` in this folder is the entry with this identity; does not follow symlinks. After opening a file,
   * true proves that the open file is in this folder.
   *
   * The check is needed because Deno without all permissions resolves a path before it opens it, and so opens the file by
   * its real path (measured with 2.9.6). Deno's other file operations use the path as given. With Infinity as `since`,
   * checks only the present state of the path.
   */
  has(name: string, identity: FileIdentity, since = this.#since): boolean {
    try {
      if (identityOf(fs.lstatSync(this.pathOf(name), { bigint: true })) !== identity) return false;
      return this.#fd !== undefined || isUnmoved(this.path, since);
    } catch (error) {
      // Deno's flags may allow a file but not its folder. Then it is only checked that the path contains no symlink.
      if (error instanceof Deno.errors.NotCapable) return isReal(join(this.path, name));
      // The entry does not exist, or its folder cannot be read.
      return false;
    }
  }

  /**
   * Waits until a folder without a descriptor has not moved for some milliseconds. Call it before a change. Throws
   * PlaceChanged.
   */
  async waitUntilUnmoved(): Promise<void> {
    if (this.#fd !== undefined) return;
    await waitUntilUnmoved(this.path);
    this.#since = FILE_CLOCK.now();
  }

  /**
   * Throws PlaceChanged if a folder without a descriptor has moved since waitUntilUnmoved(). Call it right before and right
   * after a change.
   */
  requireUnmoved(): void {
    if (this.#fd === undefined && !isUnmoved(this.path, this.#since)) throw new PlaceChanged();
  }

  /** Creates an empty file with a random name that only its owner can read. Returns the name. */
  createStagedFile(): string {
    this.requireUnmoved();
    if (this.#fd !== undefined) requireWritable(this.path);
    this.noteStaging();
    return basename(Deno.makeTempFileSync({ dir: this.pathOf("."), ...newContentName() }));
  }

  /**
   * Records this folder in the state folder, so that the next start finds the staged files of a killed process. Call it
   * before an entry gets a staged name.
   */
  noteStaging(): void {
    noteStaging(this.#options.stateDir, this.path);
  }

  /**
   * Runs a change that removes or renames a staged entry. Repeats it if the entry is missing from a folder without a
   * descriptor, because that folder may be moved away for a moment.
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
      // Some network file systems cannot flush a folder. The content of the file was flushed before.
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
    // Deno's flags may allow a folder that does not exist yet, but not its parent, whose times then cannot be read.
    const isAllowed = canRead(this.path);
    if (isAllowed) this.requireUnmoved();
    try {
      fs.mkdirSync(this.writablePath(name));
    } catch (error) {
      // Another call may have created the entry. The caller opens the entry, which fails if it is not a folder.
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

/** Opens a folder at `place` and returns the descriptor, or undefined if Deno's flags close `path`. */
function openFolder(place: string, path: string, access: PathAccess): number | undefined {
  try {
    return fs.openSync(place, (access === "write" ? O_RDONLY : O_PATH) | O_DIRECTORY);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    // Deno's flags allow the path, so a symlink has replaced the folder, and the flags close the symlink's target.
    if (canRead(path)) throw new PlaceChanged("", { cause: error });
    return undefined;
  }
}

function canRead(path: string): boolean {
  return isPermitted({ name: "read", path });
}

function requireWritable(path: string): void {
  if (isPermitted({ name: "write", path })) return;
  throw new Deno.errors.NotCapable(`Requires write access to "${path}"`);
}
