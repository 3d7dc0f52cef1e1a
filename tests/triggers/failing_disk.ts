// A disk that cannot read some of its folders and files, as the service sees it: whoever runs the tests may be allowed
// to read everything.

/** Makes reading these paths fail, until they are deleted from the set, or all is over. */
export class FailingDisk implements Disposable {
  readonly #readDir = Deno.readDir;
  readonly #lstat = Deno.lstat;
  readonly failing = new Set<string>();
  /** How often something failed. */
  failures = 0;

  constructor(...paths: string[]) {
    for (const path of paths) this.failing.add(path);
    const failAt = (path: string | URL) => this.#failAt(String(path));
    const [readDir, lstat] = [this.#readDir, this.#lstat];
    Deno.readDir = async function* (path) {
      failAt(path);
      yield* readDir(path);
    };
    Deno.lstat = async (path) => {
      // A folder can be looked at, whether or not it can be read.
      const info = await lstat(path);
      if (info.isFile) failAt(path);
      return info;
    };
  }

  /** Reads again. */
  heal(): void {
    this.failing.clear();
  }

  [Symbol.dispose](): void {
    Object.assign(Deno, { readDir: this.#readDir, lstat: this.#lstat });
  }

  #failAt(path: string): void {
    if (!this.failing.has(path)) return;
    this.failures++;
    throw new Error(`Too many open files (os error 24): readdir '${path}'`);
  }
}
