// Sanitizes text that arrives in pieces, including escape sequences across two pieces.
import { replaceControls, stripEscapes } from "./sanitize.ts";

/** The longest incomplete sequence that is kept for the next piece. */
const LONGEST_HELD = 1_000;

/** Matches an incomplete sequence at the end of a text. */
const OPEN_END =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:[\ud800-\udbff]|\u001b[ -/]*|(?:\u001b\[|\u009b)[0-?]*[ -/]*|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*\u001b?)$/;

/** Sanitizes a text piece by piece, with the same result as sanitize() of the whole text. */
export class SanitizedStream {
  #held = "";
  /** A carriage return at the end, which a line feed may follow. */
  #return = "";

  /** Adds a piece and returns the new text that can be shown. */
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

  /** Returns the rest at the end of the text. */
  end(): string {
    const rest = replaceControls(this.#return + stripEscapes(this.#held));
    this.#held = "";
    this.#return = "";
    return rest;
  }
}
