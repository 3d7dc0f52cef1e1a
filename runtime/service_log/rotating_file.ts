// An append-only file that is rotated when it is full. Its lines may contain anything. Decision: no logging package is
// used. A line must be in the file when the call returns, the file must have mode 600, and a full disk must cost lines, not
// the service (rejected: pino, which adds 43 ms and 18 MB to each start, and does not rotate files itself).
import { makePrivate } from "../../base/files/private_file.ts";
import { isFileFailure } from "../../base/files/unreadable.ts";
import { ifThere } from "../../base/files/missing.ts";

/** If no new file can be created, the full file grows by this number of bytes before the next attempt. */
const POSTPONED_BYTES = 64 * 1024;

/** The options of a rotating file: the size limit, and the number of full files to keep. */
export interface RotatingFileOptions {
  maxBytes: number;
  oldFiles: number;
}

/** The file `path` and its older parts: `path.1` (the newest) to `path.<oldFiles>`. Only the user can read them. */
export class RotatingFile implements Disposable {
  readonly #path: string;
  readonly #options: RotatingFileOptions;
  #file: Deno.FsFile;
  #size: number;
  /** The size at which the file is rotated, in bytes. */
  #limit: number;
  /** True if only a part of the last line was written. */
  #isCut = false;

  private constructor(path: string, options: RotatingFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#file = openForMore(path);
    makePrivate(path);
    for (let number = 1; number <= options.oldFiles; number++) makePrivate(`${path}.${number}`);
    this.#size = this.#file.statSync().size;
    this.#limit = options.maxBytes;
  }

  /** Opens or creates the file. Throws errors of the file system. */
  static open(path: string, options: RotatingFileOptions): RotatingFile {
    return new RotatingFile(path, options);
  }

  /**
   * Appends a line. With `flush`, all lines are on the disk when this returns. Throws errors of the file system; the line
   * is then lost.
   */
  writeLine(line: string, { flush = false } = {}): void {
    const bytes = new TextEncoder().encode(`${this.#isCut ? "\n" : ""}${line}\n`);
    if (this.#size > 0 && this.#size + bytes.length > this.#limit) this.#rotate();
    for (let written = 0; written < bytes.length;) {
      this.#isCut ||= written > 0;
      const count = this.#file.writeSync(bytes.subarray(written));
      written += count;
      this.#size += count;
    }
    this.#isCut = false;
    if (flush) this.#file.syncSync();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  /** Starts a new file. If none can be created, continues with the full one, so that no old line is lost. */
  #rotate(): void {
    try {
      this.#begin();
      this.#limit = this.#options.maxBytes;
    } catch (error) {
      if (!isFileFailure(error)) throw error;
      this.#limit = this.#size + POSTPONED_BYTES;
    }
  }

  #begin(): void {
    // The new file is opened before any file is renamed. So an error, such as too many open files, changes nothing.
    const next = openForMore(`${this.#path}.new`);
    try {
      for (let number = this.#options.oldFiles - 1; number > 0; number--) {
        renameIfThere(`${this.#path}.${number}`, `${this.#path}.${number + 1}`);
      }
      renameIfThere(this.#path, `${this.#path}.1`);
      Deno.renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      next.close();
      throw error;
    }
    this.#file.close();
    this.#file = next;
    this.#size = next.statSync().size;
  }
}

function openForMore(path: string): Deno.FsFile {
  return Deno.openSync(path, { create: true, append: true, mode: 0o600 });
}

function renameIfThere(from: string, to: string): void {
  ifThere(() => Deno.renameSync(from, to));
}
