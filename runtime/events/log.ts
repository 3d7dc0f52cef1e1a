// Following the log of an execution: a cursor over stored frames, and a notifier that wakes the followers.
import type { Frame } from "./frame.ts";
import type { FrameStore, LogState } from "./frame_store.ts";

/** The most that one follower buffers: one page, or one larger frame. Followers share large frames. */
const PAGE_FRAMES = 200;
const PAGE_BYTES = 256 * 1024;
/** The most streamed text that a follower may lag behind. Beyond it the text is dropped: the next frame contains it. */
const UNREAD_DELTA_CHARACTERS = 64 * 1024;
/** The most streamed text kept for followers that join during a reply. Beyond it they receive only the new text. */
const KEPT_DELTA_CHARACTERS = 256 * 1024;

/** An item that a follower receives; see Runtime.follow. */
export type LogItem =
  | { type: "frame"; frame: Frame }
  /**
   * Streamed text. `restart`: `content` replaces the text streamed since the last frame, because the model restarted its
   * reply or the follower joined during it.
   */
  | { type: "delta"; content: string; restart: boolean }
  | { type: "waiting" };

type LogSource = Pick<FrameStore, "readFrames" | "readLogState" | "onStored">;

interface Follower {
  wake: () => void;
  /** Streamed text that the follower has not read; undefined: it requested no deltas. */
  deltas: string | undefined;
  /** True: `deltas` replaces the text streamed before. */
  restart: boolean;
}

/** The page after a cursor, and the log's state when it was read. */
interface Reading {
  after: number;
  /** Undefined: the execution was removed. */
  state: Promise<LogState | undefined>;
  frames: Promise<Frame[]>;
}

/** Frames after a cursor. */
interface Page {
  frames: readonly Frame[];
  /** Undefined: the execution was removed. */
  state: LogState | undefined;
  /** True if no later frame was stored when the state was read. */
  isEnd: boolean;
}

/** The limits of a tail. Followers that are further behind read the store. */
const TAIL_FRAMES = 64;
const TAIL_CHARACTERS = 64 * 1024;

/** The newest frames of one execution, for the followers that keep up. */
class Tail {
  /** The tail has every frame after this id. */
  #after: number;
  #state: LogState;
  readonly #frames: Frame[] = [];
  #characters = 0;

  constructor(after: number, state: LogState) {
    this.#after = after;
    this.#state = state;
  }

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
      this.#after = oldest.id;
    }
  }

  /** Returns the frames after the cursor, or undefined if the tail does not reach back to it. */
  read(cursor: number): Page | undefined {
    if (cursor < this.#after) return undefined;
    const frames = this.#frames.filter(({ id }) => id > cursor);
    return { frames, state: this.#state, isEnd: true };
  }
}

async function readPage(reading: Reading): Promise<Page> {
  const [state, frames] = await Promise.all([reading.state, reading.frames]);
  const characters = frames.reduce((sum, { payload }) => sum + payload.length, 0);
  // A character has at most three bytes. A page near a limit may have been cut off.
  const isEnd = frames.length < PAGE_FRAMES && 3 * characters < PAGE_BYTES;
  return { state, frames, isEnd };
}

/** The number of cached readings: followers that keep up have few different cursors. */
const SHARED_READINGS = 4;

/** The followers of one execution. Counts the changes, so that a follower misses none between reading and waiting. */
class Notifier {
  readonly followers = new Set<Follower>();
  /** Undefined until a follower has read the log to its end, and after a change of another process. */
  tail: Tail | undefined;
  #changes = 0;
  #readings: Reading[] = [];

  get changes(): number {
    return this.#changes;
  }

  notify(): void {
    this.#changes++;
    // Earlier readings may be incomplete now.
    this.#readings = [];
    for (const follower of this.followers) {
      // The stored frames contain the text streamed before them.
      if (follower.deltas !== undefined) follower.deltas = "";
      follower.restart = false;
      follower.wake();
    }
  }

  /** Reads the page after a cursor, or shares the reading of another follower since the last change. */
  read(after: number, readAfter: () => Reading): Reading {
    const shared = this.#readings.find((one) => one.after === after);
    if (shared !== undefined) return shared;
    const fresh = readAfter();
    this.#readings = [fresh, ...this.#readings.slice(0, SHARED_READINGS - 1)];
    // A failed reading is not shared: the next follower reads again.
    fresh.frames.catch(() => this.#readings = this.#readings.filter((one) => one !== fresh));
    return fresh;
  }
}

/**
 * Lets any number of readers follow executions. A reader holds a cursor and one page, so a slow one costs little memory.
 */
export class ExecutionLog {
  readonly #store: LogSource;
  readonly #notifiers = new Map<number, Notifier>();
  /** The text of the current replies so far, by execution. */
  readonly #streamed = new Map<number, string>();
  readonly #shared = new SharedFrames();

  constructor(store: LogSource) {
    this.#store = store;
    store.onStored(({ executionId, frames, state }) => {
      this.#streamed.delete(executionId);
      const notifier = this.#notifiers.get(executionId);
      notifier?.tail?.append(frames, state);
      notifier?.notify();
    });
  }

  /** Wakes the followers of an execution that another process has changed. They read the log from the store. */
  notify(executionId: number): void {
    this.#streamed.delete(executionId);
    const notifier = this.#notifiers.get(executionId);
    if (notifier === undefined) return;
    notifier.tail = undefined;
    notifier.notify();
  }

  /** Wakes the followers of the matching executions: those of other nodes, whose changes are not reported here. */
  recheck(isMeant: (executionId: number) => boolean): void {
    for (const id of [...this.#notifiers.keys()]) if (isMeant(id)) this.notify(id);
  }

  #read(executionId: number, after: number): Reading {
    // Read the state first: an execution that has ended by then has all its frames in the page.
    const state = this.#store.readLogState(executionId);
    const page = { after, limit: PAGE_FRAMES, maxBytes: PAGE_BYTES };
    const frames = state.then(() => this.#store.readFrames(executionId, page));
    return {
      after,
      state,
      frames: frames.then((all) => all.map((one) => this.#shared.share(one))),
    };
  }

  /** Passes streamed text to the followers; stores nothing. */
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
   * Yields the frames after `after`: stored ones, then new ones, each once. Ends after `complete` or `waiting`, and
   * without an error when the signal aborts.
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
        const before = notifier.changes;
        const { state, frames, isEnd } = notifier.tail?.read(cursor) ??
          await readPage(notifier.read(cursor, () => this.#read(executionId, cursor)));
        for (const frame of frames) {
          if (signal.aborted) return;
          cursor = frame.id;
          yield { type: "frame", frame };
        }
        if (!isEnd || notifier.changes !== before) continue;
        if (state !== undefined) notifier.tail ??= new Tail(cursor, state);
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

/** Payloads of at least this size are shared. */
const LARGE_CHARACTERS = 16 * 1024;

/** The large frames that followers hold now. Holds them weakly. */
class SharedFrames {
  readonly #frames = new Map<number, WeakRef<Frame>>();
  readonly #gone = new FinalizationRegistry<number>((id) => {
    if (this.#frames.get(id)?.deref() === undefined) this.#frames.delete(id);
  });

  /** Returns the frame that another follower already holds, else registers this one. */
  share(frame: Frame): Frame {
    if (frame.payload.length < LARGE_CHARACTERS) return frame;
    const held = this.#frames.get(frame.id)?.deref();
    if (held !== undefined) return held;
    this.#frames.set(frame.id, new WeakRef(frame));
    this.#gone.register(frame, frame.id);
    return frame;
  }
}
