// Simulates a disk that cannot read some of its folders and files. Permissions would not do: the tests may run as root.

/** Makes reading these paths fail, until they are deleted from the set or this is disposed. */
export class FailingDisk implements Disposable {
  readonly #readDir = Deno.readDir;
  readonly #lstat = Deno.lstat;
  readonly #realPath = Deno.realPath;
  readonly failing = new Set<string>();
  /** Unreachable paths: even their metadata cannot be read. */
  readonly unreachable = new Set<string>();
  /** Lets other paths fail in addition. */
  failsByChance: (path: string) => boolean = () => false;
  reads = 0;
  /** The number of failures. */
  failures = 0;

  constructor(...paths: string[]) {
    for (const path of paths) this.failing.add(path);
    const failAt = (path: string | URL) => this.#failAt(String(path));
    const [readDir, lstat, realPath] = [this.#readDir, this.#lstat, this.#realPath];
    Deno.readDir = async function* (path) {
      failAt(path);
      yield* readDir(path);
    };
    Deno.lstat = async (path) => {
      // The metadata of a folder is readable, whether or not its content is.
      const info = await lstat(path);
      if (info.isFile) failAt(path);
      return info;
    };
    Deno.realPath = async (path) => {
      if (this.unreachable.has(String(path))) {
        this.failures++;
        throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
      }
      return await realPath(path);
    };
  }

  /** Makes everything readable again. */
  heal(): void {
    this.failing.clear();
    this.unreachable.clear();
  }

  [Symbol.dispose](): void {
    Object.assign(Deno, { readDir: this.#readDir, lstat: this.#lstat, realPath: this.#realPath });
  }

  #failAt(path: string): void {
    this.reads++;
    if (!this.failing.has(path) && !this.failsByChance(path)) return;
    this.failures++;
    throw new Error(`Too many open files (os error 24): readdir '${path}'`);
  }
}
