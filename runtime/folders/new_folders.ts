// Folders that are new in watched ones: told a moment later, when whoever made them has had the time to fill them.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";

const FILLED_MS = 500;
/** What follows may take long: then it rests for this many times as long, a minute at most. */
const REST_FACTOR = 10;
const LONGEST_REST_MS = 60_000;

/** New folders that have not been told yet. */
export class NewFolders implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #tell: (folders: readonly string[]) => Promise<void>;
  readonly #over = new AbortController();
  #folders: string[] = [];
  #telling: Promise<void> | undefined;
  #restMs = FILLED_MS;

  /** `tell` resolves when what it brings about is done. */
  constructor(clock: Clock, tell: (folders: readonly string[]) => Promise<void>) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Something is new at these paths (absolute); what is no folder is left out. */
  note(paths: readonly string[]): void {
    const folders = paths.filter(isFolder);
    if (folders.length === 0) return;
    this.#folders.push(...folders);
    this.#telling ??= this.#tellLater();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#telling;
  }

  async #tellLater(): Promise<void> {
    while (this.#folders.length > 0) {
      if (!await sleepUnlessAborted(this.#clock, this.#restMs, this.#over.signal)) return;
      const start = this.#clock.now();
      const folders = this.#folders;
      this.#folders = [];
      await this.#tell(folders);
      const tookMs = this.#clock.now() - start;
      this.#restMs = Math.min(LONGEST_REST_MS, Math.max(FILLED_MS, REST_FACTOR * tookMs));
    }
    this.#telling = undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // Gone, or unreachable.
  }
}
