// The large frames that followers stand at: a text that many of them wait to send is in memory once.
import type { Frame } from "./frame.ts";

/** Payloads of so many characters are shared. */
const LARGE_CHARACTERS = 16 * 1024;

/** Frames that somebody holds. Nobody's frame is kept. */
export class HeldFrames {
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
