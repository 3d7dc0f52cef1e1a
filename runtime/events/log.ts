// Following the log of an execution: a cursor over stored frames, and a notifier that says when there is more.
import type { Frame } from "./frame.ts";
import type { FrameStore, LogState } from "./frame_store.ts";

/** What a follower holds at most: one page, or one frame that is larger; a large frame is in memory once for all of them. */
const PAGE_FRAMES = 200;
const PAGE_BYTES = 256 * 1024;
/** Unread streamed text that a follower may lag behind; beyond it the text is dropped, the frame will bring it whole. */
const UNREAD_DELTA_CHARACTERS = 64 * 1024;
/** Streamed text that is kept for followers who come in the middle of a reply; of a longer one they see what follows. */
const KEPT_DELTA_CHARACTERS = 256 * 1024;

/** What a follower receives; see Runtime.follow. */
export type LogItem =
  | { type: "frame"; frame: Frame }
  /**
   * `restart`: what was streamed since the last frame is void, the text of the reply is `content`: it began anew, or the
   * follower came in the middle of it.
   */
  | { type: "delta"; content: string; restart: boolean }
  | { type: "waiting" };

type LogSource = Pick<FrameStore, "readFrames" | "readLogState">;

interface Follower {
  wake: () => void;
  /** Streamed text not yet read, or undefined when the follower did not ask for it. */
  deltas: string | undefined;
  /** Whether that text replaces what was streamed before it. */
  restart: boolean;
}

/** What comes after a cursor, and the state of the log when that was read. */
interface Reading {
  after: number;
  /** Undefined: the execution is gone. */
  state: Promise<LogState | undefined>;
  frames: Promise<Frame[]>;
}

/** How many readings are shared: followers that keep up have very few cursors between them. */
const SHARED_READINGS = 4;

/** The followers of one execution. Changes are counted, so that one between reading and waiting is never missed. */
class Notifier {
  readonly followers = new Set<Follower>();
  #changes = 0;
  #readings: Reading[] = [];

  get changes(): number {
    return this.#changes;
  }

  notify(): void {
    this.#changes++;
    // What was read before may be incomplete now.
    this.#readings = [];
  }

  /** Reads what comes after a cursor, or shares what another follower at the same place has read since the last change. */
  read(after: number, readAfter: () => Reading): Reading {
    const shared = this.#readings.find((one) => one.after === after);
    if (shared !== undefined) return shared;
    const fresh = readAfter();
    this.#readings = [fresh, ...this.#readings.slice(0, SHARED_READINGS - 1)];
    // A reading that failed is nobody else's: the next follower tries for itself.
    fresh.frames.catch(() => this.#readings = this.#readings.filter((one) => one !== fresh));
    return fresh;
  }
}

/** Lets any number of readers follow executions. Readers hold a cursor, not a buffer: a slow one costs a page. */
export class ExecutionLog {
  readonly #store: LogSource;
  readonly #notifiers = new Map<number, Notifier>();
  /** The text so far of the replies that are streaming now, by execution. */
  readonly #streamed = new Map<number, string>();
  readonly #held = new HeldFrames();

  constructor(store: LogSource) {
    this.#store = store;
  }

  /** Tells followers that something was stored for this execution. Call it after the transaction. */
  notify(executionId: number): void {
    this.#streamed.delete(executionId);
    const notifier = this.#notifiers.get(executionId);
    if (notifier === undefined) return;
    notifier.notify();
    for (const follower of notifier.followers) {
      // The frames just stored hold the whole text that was streamed before them.
      if (follower.deltas !== undefined) follower.deltas = "";
      follower.restart = false;
      follower.wake();
    }
  }

  /** Lets followers look again at those executions of which nobody here hears when something is stored. */
  recheck(isMeant: (executionId: number) => boolean): void {
    for (const id of [...this.#notifiers.keys()]) if (isMeant(id)) this.notify(id);
  }

  #read(executionId: number, after: number): Reading {
    // The state is read first: whatever ended by then has all its frames in the page that follows.
    const state = this.#store.readLogState(executionId);
    const page = { after, limit: PAGE_FRAMES, maxBytes: PAGE_BYTES };
    const frames = state.then(() => this.#store.readFrames(executionId, page));
    return { after, state, frames: frames.then((all) => all.map((one) => this.#held.share(one))) };
  }

  /** Passes on text that streams in; nothing is stored. */
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

  /** Tells followers that the reply which streamed begins anew. */
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
   * Frames after `after`: the stored ones, then new ones as they come, each once. Ends after `complete`, after
   * `waiting`, or quietly when the signal aborts.
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
        const reading = notifier.read(cursor, () => this.#read(executionId, cursor));
        const [state, page] = await Promise.all([reading.state, reading.frames]);
        for (const frame of page) {
          if (signal.aborted) return;
          cursor = frame.id;
          yield { type: "frame", frame };
        }
        if (page.length > 0) continue;
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
        if (notifier.changes !== before) continue;
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

/** Payloads of so many characters are shared. */
const LARGE_CHARACTERS = 16 * 1024;

/** Frames that somebody holds. Nobody's frame is kept. */
class HeldFrames {
  readonly #frames = new Map<number, WeakRef<Frame>>();
  readonly #gone = new FinalizationRegistry<number>((id) => {
    if (this.#frames.get(id)?.deref() === undefined) this.#frames.delete(id);
  });

  /** The same frame as somebody holds it, or else this one, from now on for others. */
  share(frame: Frame): Frame {
    if (frame.payload.length < LARGE_CHARACTERS) return frame;
    const held = this.#frames.get(frame.id)?.deref();
    if (held !== undefined) return held;
    this.#frames.set(frame.id, new WeakRef(frame));
    this.#gone.register(frame, frame.id);
    return frame;
  }
}
