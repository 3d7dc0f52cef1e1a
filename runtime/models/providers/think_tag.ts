// Takes a thought in `<think>` tags off the beginning of a reply: what a model thinks aloud is no part of its answer.

const OPEN = "<think>";
const CLOSE = "</think>";

/** The beginning of one reply that streams. */
export class ThinkTag {
  #state: "before" | "inside" | "behind" | "past" = "before";
  /** The text that is not classified yet. */
  #held = "";
  #thought = "";

  /** The text inside the tags. */
  get thought(): string {
    return this.#thought;
  }

  /** Takes the next piece of the text; returns what of it belongs to the answer. */
  push(piece: string): string {
    if (this.#state === "past" || piece === "") return piece;
    const searched = Math.max(0, this.#held.length - CLOSE.length);
    this.#held += piece;
    if (this.#state === "before") {
      const text = this.#held.trimStart();
      if (text.length < OPEN.length && OPEN.startsWith(text)) return "";
      if (!text.startsWith(OPEN)) return this.#pass(this.#held);
      this.#state = "inside";
      this.#held = text.slice(OPEN.length);
    }
    if (this.#state === "inside") {
      const end = this.#held.indexOf(CLOSE, Math.min(searched, this.#held.length));
      if (end < 0) return "";
      this.#thought = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + CLOSE.length);
      this.#state = "behind";
    }
    this.#held = this.#held.trimStart();
    return this.#held === "" ? "" : this.#pass(this.#held);
  }

  /** The end of the reply: returns what turns out to be no thought. `isCut`: it broke off, perhaps in its thought. */
  finish({ isCut }: { isCut: boolean }): string {
    if (this.#state === "before") return this.#pass(this.#held);
    if (this.#state !== "inside") return "";
    if (!isCut) return this.#pass(OPEN + this.#held);
    this.#thought = this.#held;
    return this.#pass("");
  }

  #pass(text: string): string {
    this.#state = "past";
    this.#held = "";
    return text;
  }
}
