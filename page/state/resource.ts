// A loaded thing of a view: its data, the reason why there is none or no newer one, and the loads as it changes.
import { ApiError, ServiceUnreachable } from "../../api/client/client_errors.ts";

/** The result of a load. */
export type Loaded<T> = { data: T } | { failure: unknown };

/**
 * One thing to be loaded, as often as it may have changed, never twice at the same time: a request that comes while an
 * answer is under way is served once, after it.
 */
export class Loader<T> {
  readonly #load: () => Promise<T>;
  readonly #onLoaded: (loaded: Loaded<T>) => void;
  #isBusy = false;
  #isWanted = false;
  #isClosed = false;

  constructor(load: () => Promise<T>, onLoaded: (loaded: Loaded<T>) => void) {
    this.#load = load;
    this.#onLoaded = onLoaded;
  }

  /** Loads, or loads once more after what is under way. */
  async ask(): Promise<void> {
    this.#isWanted = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      const loaded = await this.#load().then(
        (data) => ({ data }),
        (failure: unknown) => ({ failure }),
      );
      if (!this.#isClosed) this.#onLoaded(loaded);
    }
    this.#isBusy = false;
  }

  /** Nothing is reported any more. */
  close(): void {
    this.#isClosed = true;
  }
}

/** Something that was asked for. While it is asked for again, what was known before stays. */
export interface Resource<T> {
  data: T | undefined;
  /**
   * Why the last attempt failed, as a sentence. Null also where the service cannot be reached and `data` is what was asked
   * for: the banner says what is the matter.
   */
  problem: string | null;
  /** Whether `data` answers an older question. */
  isStale: boolean;
}

/** The latest answer, with the question that it answers. */
export interface Known<T> {
  key: string;
  data: T | undefined;
  /** Of the last attempt; undefined where it succeeded, and before the first. */
  failure: unknown;
}

/** What is known after an attempt. Only a refusal takes back what was known: it is a statement about the thing. */
export function learn<T>(known: Known<T>, key: string, loaded: Loaded<T>): Known<T> {
  if ("data" in loaded) return { key, data: loaded.data, failure: undefined };
  const { failure } = loaded;
  const isRefusal = failure instanceof ApiError && failure.status < 500;
  return isRefusal ? { key, data: undefined, failure } : { ...known, failure };
}

/** What a view shows for a question. What answers an older one is not shown for one that cannot be answered. */
export function toResource<T>(known: Known<T>, key: string): Resource<T> {
  const { data, failure } = known;
  const isStale = known.key !== key;
  const problem = describeFailure(failure, { isAnswered: data !== undefined && !isStale });
  return { data: isStale && problem !== null ? undefined : data, problem, isStale };
}

/** Whether it is worth asking again as soon as the connection is back. */
export function isUnanswered({ failure }: Known<unknown>): boolean {
  return failure instanceof ServiceUnreachable;
}

function describeFailure(failure: unknown, { isAnswered }: { isAnswered: boolean }): string | null {
  if (failure === undefined) return null;
  if (!(failure instanceof ServiceUnreachable)) return toSentence(failure);
  return isAnswered ? null : "The service cannot be reached. This loads when it is back.";
}

/** What went wrong, as a person reads it. */
export function toSentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
