// Collects the output of a command: plain text without secrets, of which the beginning and the end are kept.
import { endOf } from "../../../base/text/cut_text.ts";
import { toPlainText } from "../../../base/text/plain_text.ts";
import type { Redactor } from "../../secrets/redactor.ts";

/** The maximum number of characters that are kept of the beginning and of the end of the output. */
const HEAD_CHARACTERS = 10_000;
const TAIL_CHARACTERS = 19_800;
/** The length after which a line without an end is processed, so that it needs no more memory. */
const LINE_CHARACTERS = 64 * 1024;
/** The maximum number of characters of one progress report. */
const NEWS_CHARACTERS = 2_000;

/** The output of one running command. */
export class CommandOutput {
  readonly #redacted: ReturnType<Redactor["openStream"]>;
  #line = "";
  #head = "";
  #tail = "";
  #length = 0;
  #news = "";

  constructor(redactor: Redactor) {
    this.#redacted = redactor.openStream();
  }

  /** Adds a part of the output. */
  push(text: string): void {
    const known = this.#line + text;
    const end = known.length > LINE_CHARACTERS ? known.length : known.lastIndexOf("\n") + 1;
    this.#line = known.slice(end);
    // The terminal's sequences are removed first, because they could split a secret.
    this.#add(this.#redacted.push(toLines(known.slice(0, end))));
  }

  /**
   * Ends the output and returns its beginning and end. `isWhole` is false if the command was killed: its last characters
   * may then be a part of a secret, and are dropped.
   */
  end({ isWhole }: { isWhole: boolean }): string {
    const shown = this.#redacted.push(toLines(this.#line));
    this.#add(isWhole ? shown + this.#redacted.flush() : shown);
    const tail = endOf(this.#tail, TAIL_CHARACTERS);
    const omitted = this.#length - this.#head.length - tail.length;
    if (omitted === 0) return this.#head + tail;
    const note = `[… ${omitted.toLocaleString("en")} characters are left out here …]`;
    return `${this.#head}\n${note}\n${tail}`;
  }

  /** Returns the end of the output since the last call. Undefined if there is none. */
  takeNews(): string | undefined {
    const news = endOf(this.#news, NEWS_CHARACTERS);
    const isCut = news.length < this.#news.length;
    this.#news = "";
    return news.trim() === "" ? undefined : `${isCut ? "… " : ""}${news.trimEnd()}`;
  }

  #add(text: string): void {
    const room = HEAD_CHARACTERS - this.#head.length;
    // A pair of surrogates is not split.
    const cut = text.slice(0, room).replace(/[\uD800-\uDBFF]$/, "");
    const head = this.#tail === "" ? cut : "";
    this.#head += head;
    this.#tail = bounded(this.#tail + text.slice(head.length), TAIL_CHARACTERS);
    this.#news = bounded(this.#news + text, NEWS_CHARACTERS);
    this.#length += text.length;
  }
}

/** Returns the end of a text that has become much longer than needed. */
function bounded(text: string, characters: number): string {
  return text.length > 4 * characters ? endOf(text, 2 * characters) : text;
}

/** Returns lines as plain text. Of a line that a program has overwritten, as progress bars do, only the last state stays. */
function toLines(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\r+$/, "").split("\r").at(-1) ?? "");
  return toPlainText(lines.join("\n"));
}
