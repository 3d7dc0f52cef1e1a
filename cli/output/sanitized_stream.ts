// Sanitizes a text that arrives in pieces. A piece may end within an escape sequence.
import { dropEscapeSequences } from "../../base/text/unseen_characters.ts";
import { replaceControls } from "./sanitize.ts";

/** The maximum length of an incomplete escape sequence that is kept for the next piece. */
const LONGEST_HELD = 1_000;

/** Matches an incomplete sequence at the end of a text. */
const OPEN_END =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:[\ud800-\udbff]|\u001b[ -/]*|(?:\u001b\[|\u009b)[0-?]*[ -/]*|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*\u001b?)$/;

/** Sanitizes a text piece by piece. The joined results equal sanitize() of the whole text. */
export class SanitizedStream {
  #held = "";
  /** The carriage return at the end of the previous piece, or an empty text. A line feed may follow it. */
  #return = "";

  /** Adds the next piece and returns the sanitized text that is complete. */
  push(piece: string): string {
    const text = this.#held + piece;
    const from = Math.max(0, text.length - LONGEST_HELD);
    const open = OPEN_END.exec(text.slice(from));
    const end = open === null ? text.length : from + open.index;
    this.#held = text.slice(end);
    const safe = this.#return + dropEscapeSequences(text.slice(0, end));
    this.#return = safe.endsWith("\r") ? "\r" : "";
    return replaceControls(safe.slice(0, safe.length - this.#return.length));
  }

  /** Ends the text and returns the sanitized rest. */
  end(): string {
    const rest = replaceControls(this.#return + dropEscapeSequences(this.#held));
    this.#held = "";
    this.#return = "";
    return rest;
  }
}
