// Simulates a disk on which some folders and files cannot be read. Permissions cannot simulate that, because the tests may
// run as root.

/**
 * A disk on which the paths in `failing` cannot be read. A path is readable again after its removal from the set. Disposing
 * makes all paths readable.
 */
export class FailingDisk implements Disposable {
  readonly #readDir = Deno.readDir;
  readonly #lstat = Deno.lstat;
  readonly #realPath = Deno.realPath;
  readonly failing = new Set<string>();
  /** The paths whose metadata cannot be read either. */
  readonly unreachable = new Set<string>();
  /** Returns true if an access to another path fails, too. A test may replace it. */
  failsByChance: (path: string) => boolean = () => false;
  reads = 0;
  /** The number of simulated failures. */
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
      // The metadata of a folder is readable even if its content is not.
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

  /** Makes every path readable again. */
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
