// The reply of a model that is being shown while it comes, and what is left to show when it is there as a whole.
import { sanitise } from "../sanitise.ts";
import { SanitisedStream } from "../sanitised_stream.ts";

/** One reply after the other. */
export class ShownReply {
  #stream = new SanitisedStream();
  #shown = "";

  /** Whether something of the reply has been shown. */
  get isOpen(): boolean {
    return this.#shown !== "";
  }

  /** What to show of the next piece. */
  push(piece: string): string {
    const text = this.#stream.push(piece);
    this.#shown += text;
    return text;
  }

  /** Ends the reply. What is left to show of its whole text; undefined when something else has been shown. */
  end(whole: string): string | undefined {
    const shown = this.#shown;
    this.drop();
    const text = sanitise(whole);
    return text.startsWith(shown) ? text.slice(shown.length) : undefined;
  }

  /** Ends the reply unfinished. */
  drop(): void {
    this.#stream = new SanitisedStream();
    this.#shown = "";
  }
}
