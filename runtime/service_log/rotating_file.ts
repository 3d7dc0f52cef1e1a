// A file that lines are added to, and that makes room for a new one when it is full. What the lines say is not its
// business.

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

  private constructor(path: string, options: RotatingFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#file = openForMore(path);
    this.#size = this.#file.statSync().size;
  }

  /** Opens the file, or makes it. Throws what the file system throws. */
  static open(path: string, options: RotatingFileOptions): RotatingFile {
    return new RotatingFile(path, options);
  }

  /** Adds a line; it is flushed to the disk when this returns. Throws what the file system throws: the line is lost. */
  writeLine(line: string): void {
    const bytes = new TextEncoder().encode(`${line}\n`);
    const isFull = this.#size + bytes.length > this.#options.maxBytes;
    if (isFull && this.#size > 0) this.#rotate();
    for (let written = 0; written < bytes.length;) {
      const count = this.#file.writeSync(bytes.subarray(written));
      written += count;
      this.#size += count;
    }
    this.#file.syncSync();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  #rotate(): void {
    for (let number = this.#options.oldFiles - 1; number > 0; number--) {
      renameIfThere(`${this.#path}.${number}`, `${this.#path}.${number + 1}`);
    }
    renameIfThere(this.#path, `${this.#path}.1`);
    // The full one stays open until there is a new one: a line must not find none.
    const next = openForMore(this.#path);
    this.#file.close();
    this.#file = next;
    this.#size = next.statSync().size;
  }
}

function openForMore(path: string): Deno.FsFile {
  return Deno.openSync(path, { create: true, append: true, mode: 0o600 });
}

function renameIfThere(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    // Somebody tidied up.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
