// Safe changes of one folder's entries. Deno has no calls relative to an open folder, so a folder could be swapped for a
// symlink between two calls. Every change therefore goes through an entry with a random name that only we know: once it
// is proven to lie in the right folder, a later call that names it fails in any other folder instead of doing harm there.
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../error_code.ts";
import { type FileIdentity, identityOf, isAt, stagedName } from "./file_identity.ts";
import { type FileVersion, versionOf } from "./reported_write.ts";
import { ignoreMissing, lstatIfThere } from "./missing_entry.ts";
import { PlaceChanged } from "./place_changed.ts";
import { proveFolder, syncFolder } from "./proven_folder.ts";

/** What of a mode is not the kind of file. */
const PERMISSIONS = 0o7777;
/** How often a staged file is looked for that is not where it was made: tens of milliseconds, while folders are swapped. */
const SEARCHES = 300;

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
    const path = join(dirname(target), stagedName());
    await proveFolder(dirname(target));
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    // A file that is private stays so while it is being written.
    const handle = await open(path, flags, options.mode === undefined ? 0o666 : 0o600);
    let staged: StagedFile | undefined;
    try {
      const identity = identityOf(await handle.stat({ bigint: true }));
      staged = new StagedFile(target, path, identity);
      // Before the content goes in: what a swapped folder may have got so far is an empty file.
      staged.#prove();
      for await (const chunk of chunks) await writeAll(handle, chunk, options.signal);
      if (options.mode !== undefined) await handle.chmod(options.mode & PERMISSIONS);
      await handle.sync();
    } catch (error) {
      await staged?.discard();
      throw error;
    } finally {
      await handle.close();
    }
    return staged;
  }

  /** A second name for an existing file, beside `target`. Fails with the file system's code where links do not go. */
  static async link(
    source: string,
    identity: FileIdentity,
    target: string,
  ): Promise<StagedFile> {
    const path = join(dirname(target), stagedName());
    await proveFolder(dirname(target));
    await link(source, path);
    const staged = new StagedFile(target, path, identity);
    try {
      staged.#prove();
    } catch (error) {
      // What was linked is perhaps not our file; the name is ours in any case.
      await unlink(path).catch(ignoreMissing);
      throw error;
    }
    return staged;
  }

  /** Takes an existing entry out of sight under a random name, from which it can be put back. */
  static async setAside(entry: string, identity: FileIdentity): Promise<StagedFile> {
    const path = join(dirname(entry), stagedName());
    if (!isAt(entry, identity)) throw new PlaceChanged();
    await rename(entry, path);
    if (!isAt(path, identity)) {
      const taken = await lstatIfThere(path);
      if (taken !== undefined) {
        await new StagedFile(entry, path, identityOf(taken)).publishNew();
      }
      throw new PlaceChanged();
    }
    return new StagedFile(entry, path, identity);
  }

  /** What it keeps when it is put in its place. */
  async version(): Promise<FileVersion> {
    return versionOf(await lstat(this.#path, { bigint: true }));
  }

  /** Puts the file in its place, replacing what is there. */
  async publish(): Promise<void> {
    this.#prove();
    await rename(this.#path, this.#target).catch(missingMeansChanged);
    await this.#confirm();
  }

  /**
   * Puts the file in its place if nothing is there; throws the file system's EEXIST otherwise. Never overwrites. `link`
   * makes the hard link; absent: the file system.
   */
  async publishNew(options: { link?: typeof link } = {}): Promise<void> {
    const makeLink = options.link ?? link;
    try {
      await makeLink(this.#path, this.#target).catch(missingMeansChanged);
      await unlink(this.#path);
    } catch (error) {
      if (!isLinkRefusal(error)) throw error;
      // No hard links here: take the name with an empty file first, which fails if there is one; then replace that.
      await (await open(this.#target, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY))
        .close();
      await rename(this.#path, this.#target).catch(missingMeansChanged);
    }
    await this.#confirm();
  }

  /**
   * Removes the staged file for good. It may lie in a folder that was swapped in for a moment: whoever swaps to and fro
   * shows it again.
   */
  async discard(): Promise<void> {
    for (let search = 0; search < SEARCHES; search++) {
      const gone = await unlink(this.#path).then(() => true, ignoreMissing);
      if (gone) return;
    }
  }

  #prove(): void {
    if (!isAt(this.#path, this.#identity)) throw new PlaceChanged();
  }

  async #confirm(): Promise<void> {
    if (!isAt(this.#target, this.#identity)) throw new PlaceChanged();
    await syncFolder(dirname(this.#target));
  }
}

/** Whether the error says that this file system or these two places do not take hard links. */
export function isLinkRefusal(error: unknown): boolean {
  return ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(
    errorCode(error) ?? "",
  );
}

async function writeAll(
  handle: FileHandle,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  for (let offset = 0; offset < content.length;) {
    signal.throwIfAborted();
    const { bytesWritten } = await handle.write(content, offset, content.length - offset, null);
    offset += bytesWritten;
  }
}

/** A staged name that is gone: its folder is not the one any more that it was proven to lie in. */
function missingMeansChanged(error: unknown): never {
  throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
}
