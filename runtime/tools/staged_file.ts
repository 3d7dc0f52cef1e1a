// Safe changes of one folder's entries. Deno has no calls relative to an open folder, so each change is made right after its
// folder was proven not to have moved, with no wait in between, and the proof is repeated behind it. It goes through an entry
// with a random name that only we know: in any other folder a later call that names it fails instead of doing harm there.
import * as fs from "node:fs";
import { link, lstat, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../error_code.ts";
import { type FileIdentity, identityOf, isAt, stagedName } from "./file_identity.ts";
import { PlaceChanged } from "./place_changed.ts";
import { type FileVersion, versionOf } from "./reported_write.ts";
import { FILE_CLOCK, requireUnmoved, settle, syncFolder, takeBack } from "./settled_folder.ts";

const { O_CREAT, O_EXCL, O_RDWR, O_WRONLY } = fs.constants;
/** What of a mode is not the kind of file. */
const PERMISSIONS = 0o7777;

/** An entry with a random name, proven to lie in the folder of its target. */
export class StagedFile {
  readonly #path: string;
  readonly #target: string;
  readonly #identity: FileIdentity;

  private constructor(target: string, path: string, identity: FileIdentity) {
    this.#target = target;
    this.#path = path;
    this.#identity = identity;
  }

  /**
   * Makes a new file beside `target` and writes it to the disk. The permissions in `mode`, as `stat` gives it, are set
   * exactly; without it the umask decides.
   */
  static async write(
    target: string,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: { mode?: number; signal: AbortSignal },
  ): Promise<StagedFile> {
    const folder = dirname(target);
    const path = join(folder, stagedName());
    await settle(folder);
    const since = FILE_CLOCK.now();
    requireUnmoved(folder);
    // A file that is private stays so while it is being written.
    const mode = options.mode === undefined ? 0o666 : 0o600;
    const file = fs.openSync(path, O_RDWR | O_CREAT | O_EXCL, mode);
    let staged: StagedFile | undefined;
    try {
      staged = new StagedFile(target, path, identityOf(fs.fstatSync(file, { bigint: true })));
      // Before the content goes in: what a swapped folder may have got so far is an empty file.
      staged.#prove(since);
      for await (const chunk of chunks) await writeAll(file, chunk, options.signal);
      if (options.mode !== undefined) fs.fchmodSync(file, options.mode & PERMISSIONS);
      await sync(file);
    } catch (error) {
      await staged?.discard();
      throw error;
    } finally {
      await close(file);
    }
    return staged;
  }

  /** A second name for an existing file, beside `target`. Fails with the file system's code where links do not go. */
  static async link(
    source: string,
    identity: FileIdentity,
    target: string,
  ): Promise<StagedFile> {
    const folders = [dirname(source), dirname(target)];
    const path = join(dirname(target), stagedName());
    for (const folder of folders) await settle(folder);
    const since = FILE_CLOCK.now();
    folders.forEach(requireUnmoved);
    fs.linkSync(source, path);
    const staged = new StagedFile(target, path, identity);
    // What was linked is perhaps not our file; the name is ours in any case.
    if (isAt(source, identity, since) && isAt(path, identity, since)) return staged;
    await staged.discard();
    throw new PlaceChanged();
  }

  /** Takes an existing entry out of sight under a random name, from which it can be put back. */
  static async setAside(entry: string, identity: FileIdentity): Promise<StagedFile> {
    const path = join(dirname(entry), stagedName());
    await settle(dirname(entry));
    const since = FILE_CLOCK.now();
    if (!isAt(entry, identity, since)) throw new PlaceChanged();
    fs.renameSync(entry, path);
    if (isAt(path, identity, since)) return new StagedFile(entry, path, identity);
    // Something else was there by then, or the folder: it goes back under its name.
    await takeBack(async () => {
      try {
        await link(path, entry);
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        return await rename(path, entry);
      }
      await unlink(path);
    });
    throw new PlaceChanged();
  }

  /** What it keeps when it is put in its place. */
  async version(): Promise<FileVersion> {
    return versionOf(await lstat(this.#path, { bigint: true }));
  }

  /** Puts the file in its place, replacing what is there. */
  async publish(): Promise<void> {
    await this.#put(() => fs.renameSync(this.#path, this.#target));
  }

  /**
   * Puts the file in its place if nothing is there; throws the file system's EEXIST otherwise. Never overwrites. `link`
   * makes the hard link; absent: the file system.
   */
  async publishNew({ link = fs.linkSync }: { link?: typeof fs.linkSync } = {}): Promise<void> {
    await this.#put(() => {
      try {
        link(this.#path, this.#target);
      } catch (error) {
        if (!isLinkRefusal(error)) throw error;
        // No hard links here: take the name with an empty file first, which fails if there is one; then replace that.
        fs.closeSync(fs.openSync(this.#target, O_CREAT | O_EXCL | O_WRONLY));
        fs.renameSync(this.#path, this.#target);
        return;
      }
      fs.unlinkSync(this.#path);
    });
  }

  /** Removes the staged file for good. */
  async discard(): Promise<void> {
    await takeBack(() => unlink(this.#path));
  }

  async #put(work: () => void): Promise<void> {
    await settle(dirname(this.#target));
    this.#prove(FILE_CLOCK.now());
    try {
      work();
    } catch (error) {
      // A staged name that is gone: its folder is not the one any more that it was proven to lie in.
      throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
    }
    // What was put there is not taken back, so only what is so now counts.
    if (!isAt(this.#target, this.#identity, Infinity)) throw new PlaceChanged();
    await syncFolder(dirname(this.#target));
  }

  #prove(since: number): void {
    if (!isAt(this.#path, this.#identity, since)) throw new PlaceChanged();
  }
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
