// Following the log of an execution: a cursor over stored frames and a bell that tells when to look again.
import type { Frame } from "./frame.ts";
import type { FrameStore } from "./frame_store.ts";

const PAGE_FRAMES = 200;
const PAGE_BYTES = 256 * 1024;
/** Unread streamed text that a follower may lag behind; beyond it the text is dropped, the frame will bring it whole. */
const UNREAD_DELTA_CHARACTERS = 64 * 1024;

/** What a follower receives; see Runtime.follow. */
export type LogItem =
  | { type: "frame"; frame: Frame }
  /** `restart`: what was streamed since the last frame is void, the reply begins anew with `content`. */
  | { type: "delta"; content: string; restart: boolean }
  | { type: "waiting" };

interface Follower {
  wake: () => void;
  /** Streamed text not yet read, or undefined when the follower did not ask for it. */
  deltas: string | undefined;
  /** Whether that text replaces what was streamed before it. */
  restart: boolean;
}

/** The bell of one execution: a count that is compared, so that a ring between looking and waiting is never missed. */
class Bell {
  rings = 0;
  readonly followers = new Set<Follower>();
}

/** Lets any number of readers follow executions. Readers hold a cursor, no buffer: a slow one costs nothing. */
export class ExecutionLog {
  readonly #store: FrameStore;
  readonly #bells = new Map<number, Bell>();

  constructor(store: FrameStore) {
    this.#store = store;
  }

  /** Tells followers that something was stored for this execution. Call it after the transaction. */
  ring(executionId: number): void {
    const bell = this.#bells.get(executionId);
    if (bell === undefined) return;
    bell.rings++;
    for (const follower of bell.followers) {
      // The frames just stored hold the whole text that was streamed before them.
      if (follower.deltas !== undefined) follower.deltas = "";
      follower.restart = false;
      follower.wake();
    }
  }

  /** Passes on text that streams in; nothing is stored. */
  delta(executionId: number, text: string): void {
    const bell = this.#bells.get(executionId);
    if (bell === undefined || text === "") return;
    for (const follower of bell.followers) {
      if (follower.deltas === undefined) continue;
      if (follower.deltas.length < UNREAD_DELTA_CHARACTERS) follower.deltas += text;
      follower.wake();
    }
  }

  /** Tells followers that the reply which streamed begins anew. */
  restartDeltas(executionId: number): void {
    for (const follower of this.#bells.get(executionId)?.followers ?? []) {
      if (follower.deltas === undefined) continue;
      follower.deltas = "";
      follower.restart = true;
      follower.wake();
    }
  }

  /**
   * Frames behind `after`: the stored ones, then new ones as they come, each once. Ends behind `complete`, after
   * `waiting`, or quietly when the signal aborts.
   */
  async *follow(
    executionId: number,
    options: { after: number; deltas: boolean; signal: AbortSignal },
  ): AsyncGenerator<LogItem, void, void> {
    const { signal } = options;
    const bell = this.#bells.get(executionId) ?? new Bell();
    this.#bells.set(executionId, bell);
    let wakeUp = Promise.withResolvers<void>();
    const follower: Follower = {
      wake: () => wakeUp.resolve(),
      deltas: options.deltas ? "" : undefined,
      restart: false,
    };
    const onAbort = () => follower.wake();
    bell.followers.add(follower);
    signal.addEventListener("abort", onAbort, { once: true });
    let cursor = options.after;
    try {
      while (!signal.aborted) {
        const heard = bell.rings;
        // The state is read first: whatever ended by then has all its frames in the page that follows.
        const state = await this.#store.readLogState(executionId);
        const page = await this.#store.readFrames(executionId, {
          after: cursor,
          limit: PAGE_FRAMES,
          maxBytes: PAGE_BYTES,
        });
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
        if (bell.rings !== heard) continue;
        await wakeUp.promise;
        wakeUp = Promise.withResolvers<void>();
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      bell.followers.delete(follower);
      if (bell.followers.size === 0) this.#bells.delete(executionId);
    }
  }
}
