// Tracks the calls of a recorded reply while the log is read: the next result, and the steps before each result.
import type { CassetteReply } from "./cassette.ts";

/** The calls of one reply, and the results that were logged so far. */
export class RepliedCalls {
  readonly reply: CassetteReply;
  /** The reply's position in the conversation. */
  readonly position: number;
  readonly #steps: number;
  #logged = 0;
  /** The indexes of calls whose instructions were logged. */
  readonly #brought = new Set<number>();

  /** `steps` is the number of the cassette's steps up to the reply. */
  constructor(reply: CassetteReply, at: { position: number; steps: number }) {
    this.reply = reply;
    this.position = at.position;
    this.#steps = at.steps;
  }

  /** The number of results logged so far. */
  get logged(): number {
    return this.#logged;
  }

  /**
   * Adds a logged result. Results are logged in the order of the calls. `steps` is the number of the cassette's steps so
   * far.
   */
  addResult(steps: number): void {
    const result = this.reply.results[this.#logged];
    if (result === undefined) return;
    // If the call's instructions were logged earlier, addInstructions() has set `after`, because the result existed then.
    if (!this.#brought.has(this.#logged)) result.after = steps - this.#steps;
    this.#logged++;
  }

  /**
   * Adds logged instructions. Instructions are logged as soon as their result exists, also while the result's own frame
   * waits for the results of earlier calls. `steps` is the number of the cassette's steps so far.
   */
  addInstructions(logged: string, steps: number): void {
    // The logged instructions are redacted, but their first line contains the skill's name.
    const beginning = logged.split("\n", 1)[0] ?? "";
    const { results } = this.reply;
    // If these were the next call's instructions, its result would have been logged, too.
    const index = results.findIndex((result, at) =>
      at !== this.#logged && result?.instructions?.startsWith(beginning) && !this.#brought.has(at)
    );
    if (index < 0) return;
    this.#brought.add(index);
    const brought = results[index];
    if (brought !== undefined && index >= this.#logged) brought.after = steps - this.#steps;
  }
}
