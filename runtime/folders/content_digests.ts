// Digests of watched files, to detect files written again with the same content. Kept in memory, by path and stamp.
import { digestOfFile } from "../../base/files/file_digest.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import { sizeIn, type Stamp, stampAt, UNREAD } from "./folder_snapshot.ts";

/** The largest file to read. A larger one is compared by its stamp alone. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** The maximum number of digests for one path. Agents that watch the same path may have different snapshots. */
const MOST_STAMPS = 3;
/** The number of digests in one report of a survey. */
const BATCH = 200;

/** A file's digest at the time of a stamp. */
export interface DigestedFile {
  path: string;
  stamp: Stamp;
  digest: string;
}

/** The digests of all watched files. */
export class ContentDigests {
  /** Newest last. */
  readonly #known = new Map<string, [Stamp, string][]>();
  readonly #surveys = new SerialQueue();
  readonly #started = Promise.withResolvers<void>();
  #isOver = false;

  /** Returns the digest of a file that has this stamp now; undefined when the file is too large or has changed. */
  async digestOf(path: string, stamp: Stamp): Promise<string | undefined> {
    const known = this.#find(path, stamp);
    if (known !== undefined || stamp === UNREAD || sizeIn(stamp) > MOST_BYTES) return known;
    const digest = await digestOfFile(path);
    if (digest === undefined || await stampAt(path) !== stamp) return undefined;
    this.learn({ path, stamp, digest });
    return digest;
  }

  /** Returns true when a file has the same content at the stamps `before` and `now`. */
  async isSame(path: string, { before, now }: { before: Stamp; now: Stamp }): Promise<boolean> {
    const digest = await this.digestOf(path, now);
    return digest !== undefined && digest === this.#find(path, before);
  }

  learn({ path, stamp, digest }: DigestedFile): void {
    const others = (this.#known.get(path) ?? []).filter(([one]) => one !== stamp);
    this.#known.set(path, [...others, [stamp, digest] as [Stamp, string]].slice(-MOST_STAMPS));
  }

  /** Removes the digests of a deleted file. */
  forget(path: string): void {
    this.#known.delete(path);
  }

  /** Starts the surveys, after the watches listen. */
  start(): void {
    this.#started.resolve();
  }

  /** Reads the digests of existing files in the background, one after the other, and reports them in batches. */
  survey(
    files: () => Iterable<[path: string, stamp: Stamp]>,
    report?: (files: readonly DigestedFile[]) => Promise<void>,
  ): Promise<void> {
    return this.#surveys.run(async () => {
      await this.#started.promise;
      let taken: DigestedFile[] = [];
      for (const [path, stamp] of this.#isOver ? [] : files()) {
        if (this.#isOver) return;
        const digest = await this.digestOf(path, stamp);
        if (digest !== undefined) taken.push({ path, stamp, digest });
        if (taken.length < BATCH) continue;
        await report?.(taken);
        taken = [];
      }
      if (taken.length > 0) await report?.(taken);
    });
  }

  /** Stops all surveys. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#started.resolve();
    await this.#surveys.settled();
  }

  #find(path: string, stamp: Stamp): string | undefined {
    return this.#known.get(path)?.find(([one]) => one === stamp)?.[1];
  }
}
