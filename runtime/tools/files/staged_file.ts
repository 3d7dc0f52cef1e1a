// Safe changes of one folder's entries: a file gets its content under a random name, then its own. Where the folder is held by
// its path only (held_folder.ts), the random name has a second use: in any other folder a later call that names it fails instead
// of doing harm there.
import * as fs from "node:fs";
import { lstat } from "node:fs/promises";
import { promisify } from "node:util";
import { errorCode } from "../../../base/error_code.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { stagedName } from "../../../base/files/staged_files.ts";
import { type FileIdentity, identityOf } from "./place.ts";
import type { HeldFolder } from "./held_folder.ts";
import { PlaceChanged } from "./file_failure.ts";
import { type FileVersion, versionOf } from "./reported_write.ts";

const { O_NONBLOCK, O_RDWR } = fs.constants;
/** What of a mode is not the kind of file. */
const PERMISSIONS = 0o7777;
/** Asked for once: to ask changes it for a moment. */
let umask: number | undefined;

/** An entry of a held folder. */
export interface HeldEntry {
  folder: HeldFolder;
  name: string;
}

/** An entry with a random name, in the folder of its target. Its folder must stay open. */
export class StagedFile {
  readonly #folder: HeldFolder;
  readonly #name: string;
  readonly #target: string;
  readonly #identity: FileIdentity;

  private constructor(target: HeldEntry, name: string, identity: FileIdentity) {
    this.#folder = target.folder;
    this.#target = target.name;
    this.#name = name;
    this.#identity = identity;
  }

  /**
   * Makes a new file beside `target` and writes it to the disk. The permissions in `mode`, as `stat` gives it, are set
   * exactly; without it the umask decides.
   */
  static async write(
    target: HeldEntry,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: { mode?: number; signal: AbortSignal },
  ): Promise<StagedFile> {
    const { folder } = target;
    await folder.settle();
    // Only its owner may read it while it is being written.
    const name = folder.makeStagedFile();
    let file: number | undefined;
    try {
      file = openStaged({ folder, name });
      const staged = new StagedFile(target, name, identityOf(fs.fstatSync(file, { bigint: true })));
      for await (const chunk of chunks) await writeAll(file, chunk, options.signal);
      fs.fchmodSync(file, (options.mode ?? 0o666 & ~(umask ??= Deno.umask())) & PERMISSIONS);
      await sync(file);
      return staged;
    } catch (error) {
      folder.takeBack(() => fs.unlinkSync(folder.writable(name)));
      throw error;
    } finally {
      if (file !== undefined) await close(file);
    }
  }

  /** A second name for an existing file, beside `target`. Fails with the file system's code where links do not go. */
  static async link(
    source: HeldEntry,
    identity: FileIdentity,
    target: HeldEntry,
  ): Promise<StagedFile> {
    target.folder.noteStaging();
    const staged = new StagedFile(target, stagedName(), identity);
    const folders = [source.folder, target.folder];
    for (const folder of folders) await folder.settle();
    for (const folder of folders) folder.requireUnmoved();
    fs.linkSync(source.folder.at(source.name), staged.#path());
    // What was linked is perhaps not our file; the name is ours in any case.
    if (source.folder.has(source.name, identity) && staged.#isThere()) return staged;
    staged.discard();
    throw new PlaceChanged();
  }

  /** Takes an existing entry out of sight under a random name, from which it can be put back. */
  static async setAside(entry: HeldEntry, identity: FileIdentity): Promise<StagedFile> {
    const { folder, name } = entry;
    await folder.settle();
    folder.noteStaging();
    const staged = new StagedFile(entry, stagedName(), identity);
    if (!folder.has(name, identity)) throw new PlaceChanged();
    fs.renameSync(folder.writable(name), staged.#path());
    if (staged.#isThere()) return staged;
    // Something else was there by then, or the folder: it goes back under its name.
    folder.takeBack(() => {
      try {
        fs.linkSync(staged.#path(), folder.writable(name));
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        return fs.renameSync(staged.#path(), folder.writable(name));
      }
      fs.unlinkSync(staged.#path());
    });
    throw new PlaceChanged();
  }

  /** What it keeps when it is put in its place. */
  version(): FileVersion {
    return versionOf(fs.lstatSync(this.#folder.at(this.#name), { bigint: true }));
  }

  /** Puts the file in its place, replacing what is there. */
  async publish(): Promise<void> {
    await this.#put((target) => fs.renameSync(this.#path(), target));
  }

  /**
   * Puts the file in its place if nothing is there; throws the file system's EEXIST otherwise. Never overwrites. `link`
   * makes the hard link; absent: the file system.
   */
  async publishNew({ link = fs.linkSync }: { link?: typeof fs.linkSync } = {}): Promise<void> {
    await this.#put((target) => {
      try {
        link(this.#path(), target);
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        // No hard links here. What comes to be there right between these two calls is replaced.
        if (isThere(target)) throw Object.assign(new Error("it exists"), { code: "EEXIST" });
        return fs.renameSync(this.#path(), target);
      }
      fs.unlinkSync(this.#path());
    });
  }

  /** Removes the staged file for good. */
  discard(): void {
    this.#folder.takeBack(() => fs.unlinkSync(this.#path()));
  }

  async #put(work: (target: string) => void): Promise<void> {
    await this.#folder.settle();
    if (!this.#isThere()) throw new PlaceChanged();
    try {
      work(this.#folder.writable(this.#target));
    } catch (error) {
      // A staged name that is gone: somebody moved it, or a folder that is not held.
      throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
    }
    // What was put there is not taken back, so only what is so now counts.
    if (!this.#folder.has(this.#target, this.#identity, Infinity)) throw new PlaceChanged();
    this.#folder.sync();
  }

  #path(): string {
    return this.#folder.writable(this.#name);
  }

  #isThere(): boolean {
    return this.#folder.has(this.#name, this.#identity);
  }
}

/** Opens a file just made, proven to be that one and untouched, before any content goes in. */
function openStaged({ folder, name }: HeldEntry): number {
  let file: number;
  try {
    file = fs.openSync(folder.at(name), O_RDWR | O_NONBLOCK);
  } catch (error) {
    // It lies in the folder, and its real path leads elsewhere for now.
    throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
  }
  const info = fs.fstatSync(file, { bigint: true });
  // A second name could be one outside.
  const isUntouched = info.isFile() && info.size === 0n && info.nlink === 1n;
  if (isUntouched && folder.has(name, identityOf(info))) return file;
  fs.closeSync(file);
  throw new PlaceChanged();
}

const [write, sync, close] = [promisify(fs.write), promisify(fs.fsync), promisify(fs.close)];

/** Whether the error says that this file system or these two places do not take hard links. */
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

/** What a path names, a symlink not followed; undefined where nothing is there. */
export async function lstatIfThere(path: string): Promise<fs.BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(ignoreMissing);
}

function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
