// Text that arrives in pieces made safe to show: an escape sequence that is cut between two pieces stays one.
import { replaceControls, stripEscapes } from "./sanitise.ts";

/** A sequence that has not ended after this many characters is not waited for. */
const LONGEST_HELD = 1_000;

/** The end of a text that may be the beginning of something that only its continuation completes. */
const OPEN_END =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:[\ud800-\udbff]|\u001b[ -/]*|(?:\u001b\[|\u009b)[0-?]*[ -/]*|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*\u001b?)$/;

/** Sanitises a text piece by piece. What comes out is what sanitise() makes of the whole. */
export class SanitisedStream {
  #held = "";
  /** A carriage return, as long as a line feed may follow that belongs to it. */
  #return = "";

  /** What can be shown of the text so far and has not been. */
  push(piece: string): string {
    const text = this.#held + piece;
    const from = Math.max(0, text.length - LONGEST_HELD);
    const open = OPEN_END.exec(text.slice(from));
    const end = open === null ? text.length : from + open.index;
    this.#held = text.slice(end);
    const safe = this.#return + stripEscapes(text.slice(0, end));
    this.#return = safe.endsWith("\r") ? "\r" : "";
    return replaceControls(safe.slice(0, safe.length - this.#return.length));
  }

  /** The rest: nothing follows. */
  end(): string {
    const rest = replaceControls(this.#return + stripEscapes(this.#held));
    this.#held = "";
    this.#return = "";
    return rest;
  }
}
