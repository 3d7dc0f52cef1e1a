// A folder held by its descriptor: what is then done to its entries is done in this very folder, whatever its path leads to
// by then. The kernel tells which folder is held.
//
// Where folders cannot be held (no Linux, no link: see files/descriptor_link.ts; a folder that Deno's flags close) their paths
// are used, and their times tell whether they moved: settled_folder.ts.
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { newContentName, noteStaging } from "../../../base/files/staged_files.ts";
import { errorCode } from "../../../base/error_code.ts";
import { type FileIdentity, identityOf } from "./place.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import type { PathAccess } from "./sandbox_roots.ts";
import { PlaceChanged } from "./file_failure.ts";
import { FILE_CLOCK, isReal, isUnmoved, settle } from "./settled_folder.ts";

const { O_DIRECTORY, O_RDONLY } = fs.constants;
/** Linux: holds a folder that may be entered and not listed, too. */
const O_PATH = 0o10000000;
/** How often something is looked for that is not where it was made, in a folder that is not held: tens of milliseconds. */
const SEARCHES = 300;

/** How a folder is to be held. */
export interface HoldOptions {
  /** The link to the descriptors of this process; undefined: the folder's path is used. */
  descriptors: string | undefined;
  access: PathAccess;
  /** Where it is noted that something is staged in the folder. */
  stateDir: string;
}

/** A folder that is the one its real path named when it was opened. Dispose of it when no call with its paths is at work. */
export class HeldFolder implements Disposable {
  /** Real, as the sandbox admitted it. */
  readonly path: string;
  readonly #options: HoldOptions;
  readonly #fd: number | undefined;
  /** Of a folder that is not held: when it was last seen to have stayed where it is. */
  #since = 0;

  private constructor(path: string, fd: number | undefined, options: HoldOptions) {
    this.path = path;
    this.#fd = fd;
    this.#options = options;
  }

  /** Throws PlaceChanged when the path leads elsewhere by now, and what the file system throws. */
  static async open(path: string, options: HoldOptions): Promise<HeldFolder> {
    const { access, descriptors } = options;
    const fd = descriptors === undefined ? undefined : openFolder(path, path, access);
    const folder = new HeldFolder(path, fd, options);
    try {
      if (fd !== undefined && fs.readlinkSync(`${descriptors}/${fd}`) !== path) {
        throw new PlaceChanged();
      }
      await folder.settle();
      return folder;
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  }

  /** The same for writing; missing folders are made one by one, each in the one above it, which is held. */
  static async make(path: string, options: HoldOptions): Promise<HeldFolder> {
    try {
      return await HeldFolder.open(path, options);
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    }
    using parent = await HeldFolder.make(dirname(path), options);
    parent.#makeFolder(basename(path));
    return await parent.#openFolder(basename(path));
  }

  /** A path to an entry, for calls of the system that do not follow it. Opening needs `has` behind it: see there. */
  at(name: string): string {
    const { descriptors } = this.#options;
    return this.#fd === undefined ? join(this.path, name) : `${descriptors}/${this.#fd}/${name}`;
  }

  /** The same for an entry that is to be changed. Throws NotCapable where Deno's flags close it, which it cannot see here. */
  writable(name: string): string {
    if (this.#fd !== undefined) requireWritable(join(this.path, name));
    return this.at(name);
  }

  /**
   * Whether the folder has this very entry, a link not followed. Asked after a file was opened, a yes proves that what is open
   * lies here. It must be asked: unless it has all permissions Deno resolves a path itself before it opens it, and so opens
   * what lies at the real path (measured with 2.9.6). It does not for any other call. `since`: Infinity asks how it is now.
   */
  has(name: string, identity: FileIdentity, since = this.#since): boolean {
    try {
      if (identityOf(fs.lstatSync(this.at(name), { bigint: true })) !== identity) return false;
      return this.#fd !== undefined || isUnmoved(this.path, since);
    } catch (error) {
      // Deno's flags may allow a file and not its folder: then all that can be asked is the real path.
      if (error instanceof Deno.errors.NotCapable) return isReal(join(this.path, name));
      // Gone, or no longer readable: in either case it is not there.
      return false;
    }
  }

  /** Before a change: a folder that is not held must have stayed where it is for a while. Throws PlaceChanged. */
  async settle(): Promise<void> {
    if (this.#fd !== undefined) return;
    await settle(this.path);
    this.#since = FILE_CLOCK.now();
  }

  /** Right before a change and behind it: throws PlaceChanged when a folder that is not held may have moved since it settled. */
  requireUnmoved(): void {
    if (this.#fd === undefined && !isUnmoved(this.path, this.#since)) throw new PlaceChanged();
  }

  /** Makes an empty file that only its owner can read; returns its name. */
  makeStagedFile(): string {
    this.requireUnmoved();
    if (this.#fd !== undefined) requireWritable(this.path);
    this.noteStaging();
    return basename(Deno.makeTempFileSync({ dir: this.at("."), ...newContentName() }));
  }

  /** Before an entry gets a staged name: should this process be killed, the next start finds what is left. */
  noteStaging(): void {
    noteStaging(this.#options.stateDir, this.path);
  }

  /**
   * Removes or puts back what is here under a name that we made. In a folder that is not held it may lie in one that was swapped
   * in for a moment: whoever swaps to and fro shows it again, so it is looked for a while.
   */
  takeBack(change: () => void): void {
    const searches = this.#fd === undefined ? SEARCHES : 1;
    for (let search = 0; search < searches; search++) {
      try {
        return change();
      } catch (error) {
        ignoreMissing(error);
      }
    }
  }

  /** Writes to the disk which entries it has. */
  sync(): void {
    const fd = this.#fd ?? fs.openSync(this.path, O_RDONLY | O_DIRECTORY);
    try {
      fs.fsyncSync(fd);
    } catch (error) {
      // Some network file systems cannot sync a folder; the file itself is on the disk.
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
    // Deno's flags may allow a folder that is yet to be made, and not the one that it will lie in.
    const isAllowed = canRead(this.path);
    if (isAllowed) this.requireUnmoved();
    try {
      fs.mkdirSync(this.writable(name));
    } catch (error) {
      // Another call may have made it meanwhile; whether it is a folder shows when it is opened.
      if (errorCode(error) !== "EEXIST") throw error;
      return;
    }
    try {
      if (isAllowed) this.requireUnmoved();
    } catch (error) {
      this.takeBack(() => fs.rmdirSync(this.at(name)));
      throw error;
    }
  }

  async #openFolder(name: string): Promise<HeldFolder> {
    const path = join(this.path, name);
    if (this.#fd === undefined) return await HeldFolder.open(path, this.#options);
    const fd = openFolder(this.at(name), path, this.#options.access);
    if (fd === undefined || this.has(name, identityOf(fs.fstatSync(fd, { bigint: true })))) {
      return new HeldFolder(path, fd, this.#options);
    }
    fs.closeSync(fd);
    throw new PlaceChanged();
  }
}

/** Opens a folder; undefined where Deno's flags close `path`. */
function openFolder(place: string, path: string, access: PathAccess): number | undefined {
  try {
    return fs.openSync(place, (access === "write" ? O_RDONLY : O_PATH) | O_DIRECTORY);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    // What is closed is what a link in its place leads to.
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
