// Lets followers read an execution's log as it grows: a cursor over stored frames, and a notifier that wakes the followers.
import { resolveCursor } from "./cursor.ts";
import type { Frame, FrameIdentity } from "./frame.ts";
import type { FrameStore, LogHead, LogState } from "./frame_store.ts";
import { type Page, Tail } from "./log_tail.ts";
import { SharedFrames } from "./shared_frames.ts";

/** The maximum number of frames in a page. A follower buffers one page, or one frame if that is larger than a page. */
const PAGE_FRAMES = 200;
const PAGE_BYTES = 256 * 1024;
/**
 * The maximum length in characters of streamed text that a follower has not read. Longer text is dropped, because the next
 * frame contains it.
 */
const UNREAD_DELTA_CHARACTERS = 64 * 1024;
/**
 * The maximum length in characters of streamed text that is kept for followers that join during a reply. They do not get
 * the beginning of a longer text.
 */
const KEPT_DELTA_CHARACTERS = 256 * 1024;

/** An item that a follower receives, see Runtime.follow(). */
export type LogItem =
  | { type: "frame"; frame: Frame }
  /**
   * Streamed text. With `restart`, `content` replaces the text streamed since the last frame, because the model restarted
   * its reply or the follower joined during it.
   */
  | { type: "delta"; content: string; restart: boolean }
  | { type: "waiting" };

/** The log of an execution, opened for one follower. */
export interface OpenLog {
  identity: FrameIdentity;
  /** The id after which the frames begin, as resolveCursor() returns it. */
  after: number;
  /** True if the follower has the `complete` frame, so that no items follow. */
  isOver: boolean;
  /**
   * Stored frames, then new ones, each once. They end after a `complete` frame, while the execution waits for a person, and
   * when the signal aborts.
   */
  items: AsyncIterable<LogItem>;
}

/** Options of ExecutionLog.open(). */
interface OpenOptions {
  /** The id of the newest frame that the follower has. 0 for none. */
  after: number;
  deltas: boolean;
  signal: AbortSignal;
}

interface Follower {
  wake: () => void;
  /** The streamed text that the follower has not read. Undefined if the follower requested no deltas. */
  deltas: string | undefined;
  /** True if `deltas` replaces the text that was streamed before. */
  restart: boolean;
}

/** The maximum number of cached readings. Followers that keep up have few different cursors. */
const SHARED_READINGS = 4;

/** A follower that is registered with the notifier of an execution. */
interface Registered {
  notifier: Notifier;
  follower: Follower;
  /** The number of the notifier's changes at the registration. */
  changes: number;
  /** Removes the follower. Further calls have no effect. */
  leave: () => void;
}

/** Wakes the followers of one execution. Counts changes, so that a follower misses none between reading and waiting. */
class Notifier {
  readonly followers = new Set<Follower>();
  /** The newest frames. A change by another process replaces the tail, because the tail lacks that change's frames. */
  tail = new Tail();
  #changes = 0;
  /** The pages after cursors, which are being read or were read since the last change. */
  #readings: { after: number; page: Promise<Page> }[] = [];

  get changes(): number {
    return this.#changes;
  }

  notify(): void {
    this.#changes++;
    // The cached readings may lack the new frames.
    this.#readings = [];
    for (const follower of this.followers) {
      // The new frames contain the text that was streamed before them.
      if (follower.deltas !== undefined) follower.deltas = "";
      follower.restart = false;
      follower.wake();
    }
  }

  /** Reads the page after a cursor. Followers with the same cursor share one reading until the next change. */
  read(after: number, readAfter: () => Promise<Page>): Promise<Page> {
    const shared = this.#readings.find((one) => one.after === after);
    if (shared !== undefined) return shared.page;
    const fresh = { after, page: readAfter() };
    this.#readings = [fresh, ...this.#readings.slice(0, SHARED_READINGS - 1)];
    // A failed reading is removed from the cache, so that the next follower reads again.
    fresh.page.catch(() => this.#readings = this.#readings.filter((one) => one !== fresh));
    return fresh.page;
  }
}

/**
 * Lets any number of followers read executions' logs. A follower holds a cursor and one page, so a slow one costs little
 * memory.
 */
export class ExecutionLog {
  readonly #store: FrameStore;
  readonly #notifiers = new Map<number, Notifier>();
  /** The streamed text of current replies, by execution. */
  readonly #streamed = new Map<number, string>();
  readonly #shared = new SharedFrames();

  constructor(store: FrameStore) {
    this.#store = store;
    store.onStored((executionId, { frames, state }) => {
      this.#streamed.delete(executionId);
      const notifier = this.#notifiers.get(executionId);
      notifier?.tail.append(frames, state);
      notifier?.notify();
    });
  }

  /** Wakes the followers of an execution that another process has changed. The followers read the log from the store. */
  notify(executionId: number): void {
    this.#streamed.delete(executionId);
    const notifier = this.#notifiers.get(executionId);
    if (notifier === undefined) return;
    notifier.tail = new Tail();
    notifier.notify();
  }

  /**
   * Wakes the followers of executions that `isMeant` selects, because another node may have changed them without a report.
   */
  recheck(isMeant: (executionId: number) => boolean): void {
    for (const id of [...this.#notifiers.keys()]) if (isMeant(id)) this.notify(id);
  }

  /** Sends streamed text to the followers. Stores nothing. */
  delta(executionId: number, text: string): void {
    if (text === "") return;
    const streamed = this.#streamed.get(executionId) ?? "";
    if (streamed.length < KEPT_DELTA_CHARACTERS) this.#streamed.set(executionId, streamed + text);
    for (const follower of this.#notifiers.get(executionId)?.followers ?? []) {
      if (follower.deltas === undefined) continue;
      if (follower.deltas.length < UNREAD_DELTA_CHARACTERS) follower.deltas += text;
      follower.wake();
    }
  }

  /** Notifies the followers that the model restarts its reply. */
  restartDeltas(executionId: number): void {
    this.#streamed.delete(executionId);
    for (const follower of this.#notifiers.get(executionId)?.followers ?? []) {
      if (follower.deltas === undefined) continue;
      follower.deltas = "";
      follower.restart = true;
      follower.wake();
    }
  }

  /**
   * Opens the log of an execution for a follower, which is registered until the items end or the signal aborts. Returns
   * undefined for an unknown execution.
   */
  async open(executionId: number, options: OpenOptions): Promise<OpenLog | undefined> {
    // The follower is registered before the state is read, so that it misses no change after the read.
    const registered = this.#register(executionId, options.signal);
    let isFollowing = false;
    try {
      const head = await this.#store.readHead(executionId, options.after);
      if (head === undefined) return undefined;
      const isOver = head.event === "complete";
      const after = resolveCursor(options.after, head);
      const items = this.#follow({ ...options, ...registered, after, head });
      isFollowing = !isOver;
      return { identity: head, after, isOver, items };
    } finally {
      if (!isFollowing) registered.leave();
    }
  }

  #register(executionId: number, signal: AbortSignal): Registered {
    const notifier = this.#notifiers.getOrInsertComputed(executionId, () => new Notifier());
    const follower: Follower = { wake: () => {}, deltas: undefined, restart: false };
    const leave = () => {
      signal.removeEventListener("abort", leave);
      if (!notifier.followers.delete(follower)) return;
      if (notifier.followers.size === 0) this.#notifiers.delete(executionId);
      follower.wake();
    };
    notifier.followers.add(follower);
    signal.addEventListener("abort", leave);
    return { notifier, follower, leave, changes: notifier.changes };
  }

  /** Yields the items of OpenLog. */
  async *#follow(
    { head, after, deltas, signal, ...registered }: OpenOptions & Registered & { head: LogHead },
  ): AsyncGenerator<LogItem, void, void> {
    const { executionId, state: known } = head;
    const { notifier, follower } = registered;
    let wakeUp = Promise.withResolvers<void>();
    follower.wake = () => wakeUp.resolve();
    if (deltas) {
      const streamed = this.#streamed.get(executionId) ?? "";
      const isWhole = streamed.length < KEPT_DELTA_CHARACTERS;
      follower.deltas = isWhole ? streamed : "";
      follower.restart = isWhole && streamed !== "";
    }
    let cursor = after;
    try {
      while (!signal.aborted) {
        const { changes: before, tail } = notifier;
        // The state that open() has read is still the current one if nothing has changed.
        const isKnown = cursor === after && before === registered.changes;
        const readAfter = () => this.#read(executionId, cursor, isKnown ? known : undefined);
        const { state, frames, isEnd } = tail.read(cursor) ??
          await notifier.read(cursor, readAfter);
        for (const frame of frames) {
          if (signal.aborted) return;
          cursor = frame.id;
          yield { type: "frame", frame };
        }
        if (!isEnd || notifier.tail !== tail) continue;
        if (state !== undefined) tail.reach(cursor, state);
        if (notifier.changes !== before) continue;
        if (state === undefined || state === "ended") return;
        if (state === "waiting") {
          yield { type: "waiting" };
          return;
        }
        if (follower.deltas || follower.restart) {
          const { deltas: content = "", restart } = follower;
          follower.deltas = "";
          follower.restart = false;
          yield { type: "delta", content, restart };
          continue;
        }
        await wakeUp.promise;
        wakeUp = Promise.withResolvers<void>();
      }
    } finally {
      registered.leave();
    }
  }

  async #read(executionId: number, after: number, known: LogState | undefined): Promise<Page> {
    // The state is read before the frames: if it is an end, the page contains all frames of the execution.
    const state = known ?? await this.#store.readLogState(executionId);
    const limits = { after, limit: PAGE_FRAMES, maxBytes: PAGE_BYTES };
    const { frames, isEnd } = await this.#store.readFrames(executionId, limits);
    return { state, frames: frames.map((one) => this.#shared.share(one)), isEnd };
  }
}
