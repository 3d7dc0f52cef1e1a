// Keeps the newest frames of a followed log in memory, so that followers that keep up need not read the store.
import type { Frame } from "./frame.ts";
import type { FramePage, LogState } from "./frame_store.ts";

/** The frames after a cursor, and the state of the log. */
export interface Page extends FramePage {
  /** The state of the log. Undefined if the execution was removed. */
  state: LogState | undefined;
}

/** The maximum number of frames in a tail. Followers that are further behind read the store. */
const TAIL_FRAMES = 64;
const TAIL_CHARACTERS = 64 * 1024;

/**
 * The frames of one execution that this process stored while the execution had followers. Followers that keep up read the
 * frames here instead of from the store.
 */
export class Tail {
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
