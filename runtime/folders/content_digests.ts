// Digests of watched files, which tell that a file was written again with the same content. In memory, by path and stamp.
import { digestOfFile } from "../../base/files/file_digest.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import { sizeIn, type Stamp, stampAt, UNREAD } from "./folder_snapshot.ts";

/** A larger file is compared by its stamp alone. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** Of one path: several agents may compare it, each with the state that it has seen. */
const MOST_STAMPS = 3;
/** Digests that a survey reports together. */
const BATCH = 200;

/** A file as it was with this stamp. */
export interface DigestedFile {
  path: string;
  stamp: Stamp;
  digest: string;
}

/** The digests of all watched files. */
export class ContentDigests {
  /** The newest last. */
  readonly #known = new Map<string, [Stamp, string][]>();
  readonly #surveys = new SerialQueue();
  readonly #started = Promise.withResolvers<void>();
  #isOver = false;

  /** The digest of a file that has this stamp now; undefined where it is too large, or another one by now. */
  async take(path: string, stamp: Stamp): Promise<string | undefined> {
    const known = this.#find(path, stamp);
    if (known !== undefined || stamp === UNREAD || sizeIn(stamp) > MOST_BYTES) return known;
    const digest = await digestOfFile(path);
    if (digest === undefined || await stampAt(path) !== stamp) return undefined;
    this.learn({ path, stamp, digest });
    return digest;
  }

  /** Whether a file that has the stamp `now` has the same content as with the stamp `before`. */
  async isSame(path: string, { before, now }: { before: Stamp; now: Stamp }): Promise<boolean> {
    const digest = await this.take(path, now);
    return digest !== undefined && digest === this.#find(path, before);
  }

  learn({ path, stamp, digest }: DigestedFile): void {
    const others = (this.#known.get(path) ?? []).filter(([one]) => one !== stamp);
    this.#known.set(path, [...others, [stamp, digest] as [Stamp, string]].slice(-MOST_STAMPS));
  }

  /** The file is gone. */
  forget(path: string): void {
    this.#known.delete(path);
  }

  /** Begins with the surveys: what has to listen first, listens. */
  start(): void {
    this.#started.resolve();
  }

  /** Takes the digests of existing files, one after the other, in the background. `report` is given all of them. */
  survey(
    files: () => Iterable<[path: string, stamp: Stamp]>,
    report?: (files: readonly DigestedFile[]) => Promise<void>,
  ): Promise<void> {
    return this.#surveys.run(async () => {
      await this.#started.promise;
      let taken: DigestedFile[] = [];
      for (const [path, stamp] of this.#isOver ? [] : files()) {
        if (this.#isOver) return;
        const digest = await this.take(path, stamp);
        if (digest !== undefined) taken.push({ path, stamp, digest });
        if (taken.length < BATCH) continue;
        await report?.(taken);
        taken = [];
      }
      if (taken.length > 0) await report?.(taken);
    });
  }

  /** Ends all surveys. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#started.resolve();
    await this.#surveys.settled();
  }

  #find(path: string, stamp: Stamp): string | undefined {
    return this.#known.get(path)?.find(([one]) => one === stamp)?.[1];
  }
}
