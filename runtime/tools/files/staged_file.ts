// Changes a folder's entries safely: writes a file under a random name, then renames it. In a folder without a descriptor
// (folder_handle.ts), the random name also protects other files: if the folder's path is swapped, the name does not exist
// in the other folder.
import * as fs from "node:fs";
import { lstat } from "node:fs/promises";
import { promisify } from "node:util";
import { errorCode } from "../../../base/error_code.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { stagedName } from "../../../base/files/staged_files.ts";
import { type FileIdentity, identityOf } from "./place.ts";
import type { FolderHandle } from "./folder_handle.ts";
import { PlaceChanged } from "./file_failure.ts";
import { type FileVersion, versionOf } from "./reported_write.ts";

const { O_NONBLOCK, O_RDWR } = fs.constants;
/** A mask for the permission bits of a file's mode, which also contains the file type. */
const PERMISSIONS = 0o7777;
/** The process's umask. It is read only once, because reading the umask sets it to another value for a moment. */
let umask: number | undefined;

/** An entry of an open folder. */
export interface FolderEntry {
  folder: FolderHandle;
  name: string;
}

/**
 * A file under a random name, in the folder of the file that it will replace or become (the target). The folder's handle
 * must stay open while the staged file is used.
 */
export class StagedFile {
  readonly #folder: FolderHandle;
  readonly #name: string;
  readonly #target: string;
  readonly #identity: FileIdentity;

  private constructor(target: FolderEntry, name: string, identity: FileIdentity) {
    this.#folder = target.folder;
    this.#target = target.name;
    this.#name = name;
    this.#identity = identity;
  }

  /**
   * Writes a new file in the folder of `target` and flushes it to the disk. Sets exactly the permissions in `mode`, a mode
   * from a stat result. Without `mode` the umask applies.
   */
  static async write(
    target: FolderEntry,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: { mode?: number; signal: AbortSignal },
  ): Promise<StagedFile> {
    const { folder } = target;
    await folder.waitUntilUnmoved();
    // Until the file is complete, only its owner may read it.
    const name = folder.createStagedFile();
    let file: number | undefined;
    try {
      file = openStaged({ folder, name });
      const staged = new StagedFile(target, name, identityOf(fs.fstatSync(file, { bigint: true })));
      for await (const chunk of chunks) await writeAll(file, chunk, options.signal);
      fs.fchmodSync(file, (options.mode ?? 0o666 & ~(umask ??= Deno.umask())) & PERMISSIONS);
      await sync(file);
      return staged;
    } catch (error) {
      folder.undo(() => fs.unlinkSync(folder.writablePath(name)));
      throw error;
    } finally {
      if (file !== undefined) await close(file);
    }
  }

  /**
   * Creates a hard link to the source file in the folder of `target`. Throws the file system's error if hard links are
   * impossible.
   */
  static async link(
    source: FolderEntry,
    identity: FileIdentity,
    target: FolderEntry,
  ): Promise<StagedFile> {
    target.folder.noteStaging();
    const staged = new StagedFile(target, stagedName(), identity);
    const folders = [source.folder, target.folder];
    for (const folder of folders) await folder.waitUntilUnmoved();
    for (const folder of folders) folder.requireUnmoved();
    fs.linkSync(source.folder.pathOf(source.name), staged.#path());
    // If the path was swapped, the link leads to another file. The link can be removed in any case, because this function
    // created its name.
    if (source.folder.has(source.name, identity) && staged.#isThere()) return staged;
    staged.discard();
    throw new PlaceChanged();
  }

  /** Renames an existing entry to a random name. Restores the name and throws PlaceChanged if another file was renamed. */
  static async moveAside(entry: FolderEntry, identity: FileIdentity): Promise<StagedFile> {
    const { folder, name } = entry;
    await folder.waitUntilUnmoved();
    folder.noteStaging();
    const staged = new StagedFile(entry, stagedName(), identity);
    if (!folder.has(name, identity)) throw new PlaceChanged();
    fs.renameSync(folder.writablePath(name), staged.#path());
    if (staged.#isThere()) return staged;
    // The entry or its folder was swapped, so another file was renamed: restore its name.
    folder.undo(() => {
      try {
        fs.linkSync(staged.#path(), folder.writablePath(name));
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        return fs.renameSync(staged.#path(), folder.writablePath(name));
      }
      fs.unlinkSync(staged.#path());
    });
    throw new PlaceChanged();
  }

  /** Returns the file's version, which publishing does not change. */
  version(): FileVersion {
    return versionOf(fs.lstatSync(this.#folder.pathOf(this.#name), { bigint: true }));
  }

  /** Renames the staged file to its target name, and replaces an existing file. */
  async publish(): Promise<void> {
    await this.#put((target) => fs.renameSync(this.#path(), target));
  }

  /**
   * Renames the staged file to its target name. Throws EEXIST if the name is taken; never overwrites. `link` creates the
   * hard link, and is only set by tests.
   */
  async publishNew({ link = fs.linkSync }: { link?: typeof fs.linkSync } = {}): Promise<void> {
    await this.#put((target) => {
      try {
        link(this.#path(), target);
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        // Without hard links, a file that another program creates between this check and the rename is replaced.
        if (isThere(target)) throw Object.assign(new Error("it exists"), { code: "EEXIST" });
        return fs.renameSync(this.#path(), target);
      }
      fs.unlinkSync(this.#path());
    });
  }

  /** Deletes the staged file. */
  discard(): void {
    this.#folder.undo(() => fs.unlinkSync(this.#path()));
  }

  async #put(work: (target: string) => void): Promise<void> {
    await this.#folder.waitUntilUnmoved();
    if (!this.#isThere()) throw new PlaceChanged();
    try {
      work(this.#folder.writablePath(this.#target));
    } catch (error) {
      // ENOENT: the staged file was moved, or its folder, which has no descriptor.
      throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
    }
    // A published file is not removed again, so it is only checked that the file is in place now.
    if (!this.#folder.has(this.#target, this.#identity, Infinity)) throw new PlaceChanged();
    this.#folder.sync();
  }

  #path(): string {
    return this.#folder.writablePath(this.#name);
  }

  #isThere(): boolean {
    return this.#folder.has(this.#name, this.#identity);
  }
}

/** Opens a staged file before its content is written. Throws PlaceChanged unless it is the empty file that was created. */
function openStaged({ folder, name }: FolderEntry): number {
  let file: number;
  try {
    file = fs.openSync(folder.pathOf(name), O_RDWR | O_NONBLOCK);
  } catch (error) {
    // ENOENT: the staged file exists, but the folder's path leads to another folder at this moment.
    throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
  }
  const info = fs.fstatSync(file, { bigint: true });
  // With a second hard link, the content would also be written to a name outside of the sandbox.
  const isUntouched = info.isFile() && info.size === 0n && info.nlink === 1n;
  if (isUntouched && folder.has(name, identityOf(info))) return file;
  fs.closeSync(file);
  throw new PlaceChanged();
}

const [write, sync, close] = [promisify(fs.write), promisify(fs.fsync), promisify(fs.close)];

/** Returns true for the errors of a file system on which this hard link is impossible. */
export function isLinkRefusal(error: unknown): boolean {
  return ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(
    errorCode(error) ?? "",
  );
}

async function writeAll(file: number, content: Uint8Array, signal: AbortSignal): Promise<void> {
  for (let offset = 0; offset < content.length;) {
    signal.throwIfAborted();
    const { bytesWritten } = await write(file, content, offset, content.length - offset, null);
    offset += bytesWritten;
  }
}

/** Returns the stat result of a path, or undefined if it does not exist. Does not follow a symlink. */
export async function lstatIfExists(path: string): Promise<fs.BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(ignoreMissing);
}

function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
