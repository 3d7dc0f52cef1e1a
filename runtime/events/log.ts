// Lets followers read an execution's log as it grows: a cursor over stored frames, and a notifier that wakes the followers.
import type { Frame } from "./frame.ts";
import type { FrameStore, LogState } from "./frame_store.ts";

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

type LogSource = Pick<FrameStore, "readFrames" | "readLogState" | "onStored">;

interface Follower {
  wake: () => void;
  /** The streamed text that the follower has not read. Undefined if the follower requested no deltas. */
  deltas: string | undefined;
  /** True if `deltas` replaces the text that was streamed before. */
  restart: boolean;
}

/** The page after a cursor, and the state of the log at the time of the read. */
interface Reading {
  after: number;
  /** The state of the log. Undefined if the execution was removed. */
  state: Promise<LogState | undefined>;
  frames: Promise<Frame[]>;
}

/** The frames after a cursor, and the state of the log. */
interface Page {
  frames: readonly Frame[];
  /** The state of the log. Undefined if the execution was removed. */
  state: LogState | undefined;
  /** True if no later frame was stored at the time of the read. */
  isEnd: boolean;
}

/** The maximum number of frames in a tail. Followers that are further behind read the store. */
const TAIL_FRAMES = 64;
const TAIL_CHARACTERS = 64 * 1024;

/**
 * The frames of one execution that this process stored while the execution had followers. Followers that keep up read the
 * frames here instead of from the store.
 */
class Tail {
  /** The tail contains every frame with an id above this number. Infinity until a follower has read the log to its end. */
  #after = Infinity;
  /** The id of the newest frame that was dropped to stay within the limits. */
  #dropped = 0;
  #state: LogState | undefined;
  readonly #frames: Frame[] = [];
  #characters = 0;

  append(frames: readonly Frame[], state: LogState): void {
    this.#state = state;
    for (const frame of frames) {
      this.#frames.push(frame);
      this.#characters += frame.payload.length;
    }
    while (this.#frames.length > TAIL_FRAMES || this.#characters > TAIL_CHARACTERS) {
      const oldest = this.#frames.shift();
      if (oldest === undefined) return;
      this.#characters -= oldest.payload.length;
      this.#dropped = oldest.id;
    }
  }

  /** Records that a follower has read the stored log to its end at the cursor, and the state that the follower read. */
  reach(cursor: number, state: LogState): void {
    this.#after = Math.min(this.#after, cursor);
    this.#state ??= state;
  }

  /** Returns the frames after the cursor. Undefined if the tail may lack some of these frames. */
  read(cursor: number): Page | undefined {
    if (cursor < this.#after || cursor < this.#dropped) return undefined;
    const frames = this.#frames.filter(({ id }) => id > cursor);
    return { frames, state: this.#state, isEnd: true };
  }
}

async function readPage(reading: Reading): Promise<Page> {
  const [state, frames] = await Promise.all([reading.state, reading.frames]);
  const characters = frames.reduce((sum, { payload }) => sum + payload.length, 0);
  // A UTF-16 code unit has at most three bytes in UTF-8. A page that may have reached a limit may be incomplete.
  const isEnd = frames.length < PAGE_FRAMES && 3 * characters < PAGE_BYTES;
  return { state, frames, isEnd };
}

/** The maximum number of cached readings. Followers that keep up have few different cursors. */
const SHARED_READINGS = 4;

/** Wakes the followers of one execution. Counts changes, so that a follower misses none between reading and waiting. */
class Notifier {
  readonly followers = new Set<Follower>();
  /** The newest frames. A change by another process replaces the tail, because the tail lacks that change's frames. */
  tail = new Tail();
  #changes = 0;
  #readings: Reading[] = [];

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
  read(after: number, readAfter: () => Reading): Reading {
    const shared = this.#readings.find((one) => one.after === after);
    if (shared !== undefined) return shared;
    const fresh = readAfter();
    this.#readings = [fresh, ...this.#readings.slice(0, SHARED_READINGS - 1)];
    // A failed reading is removed from the cache, so that the next follower reads again.
    fresh.frames.catch(() => this.#readings = this.#readings.filter((one) => one !== fresh));
    return fresh;
  }
}

/**
 * Lets any number of followers read executions' logs. A follower holds a cursor and one page, so a slow one costs little
 * memory.
 */
export class ExecutionLog {
  readonly #store: LogSource;
  readonly #notifiers = new Map<number, Notifier>();
  /** The streamed text of current replies, by execution. */
  readonly #streamed = new Map<number, string>();
  readonly #shared = new SharedFrames();

  constructor(store: LogSource) {
    this.#store = store;
    store.onStored(({ executionId, frames, state }) => {
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

  #read(executionId: number, after: number): Reading {
    // The state is read before the frames: if it is an end, the page contains all frames of the execution.
    const state = this.#store.readLogState(executionId);
    const page = { after, limit: PAGE_FRAMES, maxBytes: PAGE_BYTES };
    const frames = state.then(() => this.#store.readFrames(executionId, page));
    return {
      after,
      state,
      frames: frames.then((all) => all.map((one) => this.#shared.share(one))),
    };
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
   * Yields the frames with an id above `after`, each once: stored frames, then new ones. Ends after a `complete` frame,
   * while the execution waits for a person, and when the signal aborts.
   */
  async *follow(
    executionId: number,
    options: { after: number; deltas: boolean; signal: AbortSignal },
  ): AsyncGenerator<LogItem, void, void> {
    const { signal } = options;
    const notifier = this.#notifiers.get(executionId) ?? new Notifier();
    this.#notifiers.set(executionId, notifier);
    let wakeUp = Promise.withResolvers<void>();
    const streamed = this.#streamed.get(executionId) ?? "";
    const isWhole = streamed.length < KEPT_DELTA_CHARACTERS;
    const follower: Follower = {
      wake: () => wakeUp.resolve(),
      deltas: !options.deltas ? undefined : isWhole ? streamed : "",
      restart: options.deltas && isWhole && streamed !== "",
    };
    const onAbort = () => follower.wake();
    notifier.followers.add(follower);
    signal.addEventListener("abort", onAbort, { once: true });
    let cursor = options.after;
    try {
      while (!signal.aborted) {
        const { changes: before, tail } = notifier;
        const { state, frames, isEnd } = tail.read(cursor) ??
          await readPage(notifier.read(cursor, () => this.#read(executionId, cursor)));
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
      signal.removeEventListener("abort", onAbort);
      notifier.followers.delete(follower);
      if (notifier.followers.size === 0) this.#notifiers.delete(executionId);
    }
  }
}

/** The minimum length in characters of payloads that are shared. */
const LARGE_CHARACTERS = 16 * 1024;

/** The large frames that followers hold, by weak references. */
class SharedFrames {
  readonly #frames = new Map<number, WeakRef<Frame>>();
  readonly #gone = new FinalizationRegistry<number>((id) => {
    if (this.#frames.get(id)?.deref() === undefined) this.#frames.delete(id);
  });

  /** Returns the equal frame that another follower holds, or registers and returns this frame. */
  share(frame: Frame): Frame {
    if (frame.payload.length < LARGE_CHARACTERS) return frame;
    const held = this.#frames.get(frame.id)?.deref();
    if (held !== undefined) return held;
    this.#frames.set(frame.id, new WeakRef(frame));
    this.#gone.register(frame, frame.id);
    return frame;
  }
}
