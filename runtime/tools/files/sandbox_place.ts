// A place that a sandbox opens or closes: where it was configured, and where that really leads.
import { resolve } from "node:path";
import { realPathOf } from "./real_path.ts";

/** A folder with all below it, or just one file. */
export class SandboxPlace {
  /** Absolute, as configured. */
  readonly path: string;
  #real: string;
  #pinned = false;

  constructor(path: string) {
    this.path = resolve(path);
    this.#real = this.path;
  }

  /** Where it really is, symlinks resolved as far as it existed when it was settled; before that as configured. */
  get real(): string {
    return this.#real;
  }

  /**
   * Finds where the place leads. Once it was seen to exist its real path stays: one that is swapped for a symlink later
   * leads nowhere. Throws ToolFailure when that cannot be told.
   */
  settle(): void {
    if (this.#pinned) return;
    const { path, exists, dangling } = realPathOf(this.path, this.path);
    this.#real = path;
    this.#pinned = exists && !dangling;
  }
}
