// Keeps content digests of watched files in memory, by path and stamp. They detect files that were rewritten with the same
// content.
import { digestOfFile } from "../../base/files/file_digest.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import { sizeIn, type Stamp, stampAt, UNREAD } from "./folder_snapshot.ts";

/** The maximum size of a file that is read. For larger files only the stamps are compared. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** The maximum number of digests per path. Agents that watch the same path may have different snapshots. */
const MOST_STAMPS = 3;
/** The number of digests per report of a survey. */
const BATCH = 200;

/** The digest of a file with a given stamp. */
export interface DigestedFile {
  path: string;
  stamp: Stamp;
  digest: string;
}

/** Calculates and keeps the digests of all watched files. */
export class ContentDigests {
  /** For each path: its known stamps with their digests, newest last. */
  readonly #known = new Map<string, [Stamp, string][]>();
  readonly #surveys = new SerialQueue();
  readonly #started = Promise.withResolvers<void>();
  #isOver = false;

  /**
   * Returns the digest of a file whose present stamp is `stamp`. Returns undefined if the file is too large, has changed,
   * or cannot be read.
   */
  async digestOf(path: string, stamp: Stamp): Promise<string | undefined> {
    const known = this.#find(path, stamp);
    if (known !== undefined || stamp === UNREAD || sizeIn(stamp) > MOST_BYTES) return known;
    const digest = await digestOfFile(path);
    if (digest === undefined || await stampAt(path) !== stamp) return undefined;
    this.learn({ path, stamp, digest });
    return digest;
  }

  /** Returns true if a file is known to have had the same content at both stamps. */
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

  /** Allows surveys to start. Call it when the folders are being watched. */
  start(): void {
    this.#started.resolve();
  }

  /** Calculates the digests of existing files in the background, one file after the other. Reports them in batches. */
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
