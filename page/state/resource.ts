// Loads the data of a view, keeps the last loaded data, and holds the error of a failed load.
import { ApiError, ServiceUnreachable } from "../../api/client/client_errors.ts";

/** The result of one load: the data, or the error. */
export type Loaded<T> = { data: T } | { failure: unknown };

/**
 * Loads one resource repeatedly, never twice in parallel. Any number of requests during a load lead to one further load.
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

  /** Loads the resource. If reload() is called during a load, the resource is loaded once more after that load. */
  async reload(): Promise<void> {
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

  /** Stops reporting results. */
  close(): void {
    this.#isClosed = true;
  }
}

/** The state of a resource for a view. During a reload it contains the earlier data. */
export interface Resource<T> {
  data: T | undefined;
  /**
   * The error of the last load as a sentence; null without an error. Also null if the service is unreachable but `data` is
   * for the current key, because the banner reports the lost connection.
   */
  problem: string | null;
  /** True if `data` is for an earlier key. */
  isStale: boolean;
}

/** The last loaded data with its key, and the error of the last load. */
export interface LatestLoad<T> {
  key: string;
  data: T | undefined;
  /** The error of the last load; undefined after a success and before the first load. */
  failure: unknown;
}

/** Returns the state after a load. The earlier data is discarded only if the service refused the request. */
export function applyLoad<T>(known: LatestLoad<T>, key: string, loaded: Loaded<T>): LatestLoad<T> {
  if ("data" in loaded) return { key, data: loaded.data, failure: undefined };
  const { failure } = loaded;
  const isRefusal = failure instanceof ApiError && failure.status < 500;
  return isRefusal ? { key, data: undefined, failure } : { ...known, failure };
}

/** Returns the resource for a key. Data of an earlier key is hidden after a failed load. */
export function toResource<T>(known: LatestLoad<T>, key: string): Resource<T> {
  const { data, failure } = known;
  const isStale = known.key !== key;
  const problem = describeFailure(failure, { isAnswered: data !== undefined && !isStale });
  return { data: isStale && problem !== null ? undefined : data, problem, isStale };
}

/** Returns true if the last load failed because the service was unreachable. */
export function isUnreachable({ failure }: LatestLoad<unknown>): boolean {
  return failure instanceof ServiceUnreachable;
}

function describeFailure(failure: unknown, { isAnswered }: { isAnswered: boolean }): string | null {
  if (failure === undefined) return null;
  if (!(failure instanceof ServiceUnreachable)) return errorMessage(failure);
  return isAnswered
    ? null
    : "The service is unreachable. This view loads as soon as it is available.";
}

/** Returns the message of an error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
