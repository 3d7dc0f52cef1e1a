// A file that lines are added to, and that is replaced by a new one when it is full. It knows nothing of what the lines
// say.
// Decision: our own, because a line must be in the file when the call returns, in a file of mode 600, and a full disk must cost
// lines, not the service (rejected: pino, 43 ms and 18 MB more at each start, and no rotation of its own).
import { makePrivate } from "../../base/files/private_file.ts";
import { isFileFailure } from "../../base/files/unreadable.ts";
import { ifThere } from "../../base/files/missing.ts";

/** Where no new file can be made, the full one takes this many more bytes before the next attempt. */
const POSTPONED_BYTES = 64 * 1024;

/** How large it may grow, and how many full ones are kept. */
export interface RotatingFileOptions {
  maxBytes: number;
  oldFiles: number;
}

/** The file `path`; the full ones are `path.1`, the newest, to `path.<oldFiles>`. Private to the user. */
export class RotatingFile implements Disposable {
  readonly #path: string;
  readonly #options: RotatingFileOptions;
  #file: Deno.FsFile;
  #size: number;
  /** The size at which a new file is begun. */
  #limit: number;
  /** The disk took only part of the last line. */
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

  /** Opens the file, or makes it. Throws what the file system throws. */
  static open(path: string, options: RotatingFileOptions): RotatingFile {
    return new RotatingFile(path, options);
  }

  /**
   * Adds a line. With `flush` it is on the disk when this returns, with all before it. Throws what the file system throws: the
   * line is lost.
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

  /** Begins a new file, or keeps the full one where none can be made: no old lines are given up for nothing. */
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
    // Opened before anything is moved: without a free descriptor, for one, everything stays as it is.
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
