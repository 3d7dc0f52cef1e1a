// Safe changes to a folder's entries: a file is written under a random name, then renamed. In a folder without a descriptor
// (folder_handle.ts) the random name has a second use: a later call through a swapped path fails instead of doing harm.
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
/** The permission bits of a mode, without the file type. */
const PERMISSIONS = 0o7777;
/** Read only once, because reading it changes it for a moment. */
let umask: number | undefined;

/** An entry of a held folder. */
export interface FolderEntry {
  folder: FolderHandle;
  name: string;
}

/** An entry with a random name in its target's folder. The folder must stay open. */
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
   * Creates a file beside `target` and flushes it to the disk. Sets exactly the permissions of `mode`, in the form that
   * `stat` returns; without it the umask applies.
   */
  static async write(
    target: FolderEntry,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: { mode?: number; signal: AbortSignal },
  ): Promise<StagedFile> {
    const { folder } = target;
    await folder.waitUntilUnmoved();
    // Only its owner may read the file until it is complete.
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
   * Creates a hard link to an existing file, beside `target`. Throws the file system's error where hard links are
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
    // The linked file may be a wrong one, but the new name is ours in any case.
    if (source.folder.has(source.name, identity) && staged.#isThere()) return staged;
    staged.discard();
    throw new PlaceChanged();
  }

  /** Renames an existing entry to a random name, from which it can be restored. */
  static async moveAside(entry: FolderEntry, identity: FileIdentity): Promise<StagedFile> {
    const { folder, name } = entry;
    await folder.waitUntilUnmoved();
    folder.noteStaging();
    const staged = new StagedFile(entry, stagedName(), identity);
    if (!folder.has(name, identity)) throw new PlaceChanged();
    fs.renameSync(folder.writablePath(name), staged.#path());
    if (staged.#isThere()) return staged;
    // Another entry or folder was in its place: restore the name.
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

  /** Returns the version that the file keeps when it is published. */
  version(): FileVersion {
    return versionOf(fs.lstatSync(this.#folder.pathOf(this.#name), { bigint: true }));
  }

  /** Renames the file to its target, and replaces an existing one. */
  async publish(): Promise<void> {
    await this.#put((target) => fs.renameSync(this.#path(), target));
  }

  /**
   * Renames the file to its target if the name is free, else throws EEXIST. Never overwrites. `link` creates the hard link,
   * by default with the file system.
   */
  async publishNew({ link = fs.linkSync }: { link?: typeof fs.linkSync } = {}): Promise<void> {
    await this.#put((target) => {
      try {
        link(this.#path(), target);
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        // Without hard links, a file created between these two calls is replaced.
        if (isThere(target)) throw Object.assign(new Error("it exists"), { code: "EEXIST" });
        return fs.renameSync(this.#path(), target);
      }
      fs.unlinkSync(this.#path());
    });
  }

  /** Removes the staged file for good. */
  discard(): void {
    this.#folder.undo(() => fs.unlinkSync(this.#path()));
  }

  async #put(work: (target: string) => void): Promise<void> {
    await this.#folder.waitUntilUnmoved();
    if (!this.#isThere()) throw new PlaceChanged();
    try {
      work(this.#folder.writablePath(this.#target));
    } catch (error) {
      // The staged name is gone: the file, or a folder without a descriptor, was moved.
      throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
    }
    // A published file is not taken back, so only the present moment counts.
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

/** Opens a newly created file, and proves that it is the same one and empty before any content is written. */
function openStaged({ folder, name }: FolderEntry): number {
  let file: number;
  try {
    file = fs.openSync(folder.pathOf(name), O_RDWR | O_NONBLOCK);
  } catch (error) {
    // The entry is in the folder, but its real path leads elsewhere at this moment.
    throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
  }
  const info = fs.fstatSync(file, { bigint: true });
  // A second link could be a name outside of the sandbox.
  const isUntouched = info.isFile() && info.size === 0n && info.nlink === 1n;
  if (isUntouched && folder.has(name, identityOf(info))) return file;
  fs.closeSync(file);
  throw new PlaceChanged();
}

const [write, sync, close] = [promisify(fs.write), promisify(fs.fsync), promisify(fs.close)];

/** Returns true if the error says that hard links are impossible here. */
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

/** Returns the stat result of a path without following a symlink, or undefined if nothing is there. */
export async function lstatIfExists(path: string): Promise<fs.BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(ignoreMissing);
}

function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
