// Safe changes of one folder's entries. Deno has no calls relative to an open folder, so a folder could be swapped for a
// symlink between two calls. Every change therefore goes through an entry with a random name that only we know: once it
// is proven to lie in the right folder, a later call that names it fails in any other folder instead of doing harm there.
import { constants } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../error_code.ts";
import { type FileIdentity, identityOf, isAt, stagedName } from "./file_identity.ts";
import { type FileVersion, versionOf } from "./file_write.ts";
import { PlaceChanged } from "./place_changed.ts";

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

  /** Makes a new file beside `target` and writes it to the disk. `mode` is set exactly; without it the umask decides. */
  static async write(
    target: string,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: { mode?: number; signal: AbortSignal },
  ): Promise<StagedFile> {
    const path = join(dirname(target), stagedName());
    await provePlace(dirname(target));
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
      if (options.mode !== undefined) await handle.chmod(options.mode);
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
    await provePlace(dirname(target));
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
      const taken = await lstat(path, { bigint: true }).catch(ignoreMissing);
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

  /** Puts the file in its place if nothing is there; throws the file system's EEXIST otherwise. Never overwrites. */
  async publishNew(): Promise<void> {
    try {
      await link(this.#path, this.#target).catch(missingMeansChanged);
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

/** Makes the missing folders of a real path, one by one, each proven to lie where it should. */
export async function makeFolders(folder: string): Promise<void> {
  const info = await lstat(folder).catch(ignoreMissing);
  if (info?.isDirectory()) return;
  const parent = dirname(folder);
  try {
    if (parent !== folder) await makeFolders(parent);
    await provePlace(parent);
  } catch (error) {
    // Deno's flags may allow a folder that is yet to be made, and not the one that it will lie in: what was made is proven.
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
  try {
    await mkdir(folder);
  } catch (error) {
    // Another call may have made it meanwhile; whether it is a folder shows below.
    if (errorCode(error) !== "EEXIST") throw error;
    await provePlace(folder);
    return;
  }
  try {
    await provePlace(folder);
  } catch (error) {
    await rmdir(folder).catch(ignoreMissing);
    throw error;
  }
}

/** Whether the error says that this file system or these two places do not take hard links. */
export function isLinkRefusal(error: unknown): boolean {
  return ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(
    errorCode(error) ?? "",
  );
}

async function provePlace(folder: string): Promise<void> {
  const info = await lstat(folder, { bigint: true });
  if (!info.isDirectory()) {
    throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  }
  if (!isAt(folder, identityOf(info))) throw new PlaceChanged();
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot sync a folder; the file itself is on the disk.
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EBADF"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await handle.close();
  }
}

/** A staged name that is gone: its folder is not the one any more that it was proven to lie in. */
function missingMeansChanged(error: unknown): never {
  throw errorCode(error) === "ENOENT" ? new PlaceChanged("", { cause: error }) : error;
}

/** Turns "it is not there" into undefined. */
function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
}
