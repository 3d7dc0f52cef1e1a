// Shares one copy of a large frame between the followers that hold it.
import type { Frame } from "./frame.ts";

/** The minimum length in characters of payloads that are shared. */
const LARGE_CHARACTERS = 16 * 1024;

/** The large frames that followers hold, by weak references. */
export class SharedFrames {
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
