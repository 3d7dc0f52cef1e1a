// The calls of a recorded reply while its log is read: the next result, and the order of the results.
import type { CassetteReply } from "./cassette.ts";

/** One reply with its calls. */
export class RepliedCalls {
  readonly reply: CassetteReply;
  /** The reply's position in the conversation. */
  readonly position: number;
  readonly #steps: number;
  #logged = 0;
  /** By call: its place in the order of the results. */
  readonly #told = new Map<number, number>();
  /** Calls whose instructions were logged. */
  readonly #brought = new Set<number>();

  /** `steps` is the number of steps up to the reply. */
  constructor(reply: CassetteReply, at: { position: number; steps: number }) {
    this.reply = reply;
    this.position = at.position;
    this.#steps = at.steps;
  }

  /** The number of results logged so far. */
  get logged(): number {
    return this.#logged;
  }

  /** Adds a logged result. Results are logged in the order of the calls. `steps` is the number of steps so far. */
  addResult(steps: number): void {
    const result = this.reply.calls[this.#logged]?.result;
    if (result === undefined) return;
    // If the instructions were logged earlier, the result existed then.
    if (!this.#brought.has(this.#logged)) result.after = steps - this.#steps;
    if (!this.#told.has(this.#logged)) this.#told.set(this.#logged, this.#told.size);
    this.#logged++;
  }

  /**
   * Adds logged instructions. They are logged when their result exists, so they show the order of several results.
   * `steps` is the number of steps so far.
   */
  addInstructions(logged: string, steps: number): void {
    // The log's instructions are redacted, but their first line names the skill.
    const beginning = logged.split("\n", 1)[0] ?? "";
    const { calls } = this.reply;
    // The next call's result would have been logged with its instructions.
    const index = calls.findIndex(({ result }, at) =>
      at !== this.#logged && result?.instructions?.startsWith(beginning) && !this.#brought.has(at)
    );
    if (index < 0) return;
    this.#brought.add(index);
    const brought = calls[index]?.result;
    if (brought !== undefined && index >= this.#logged) brought.after = steps - this.#steps;
    // Moves the call after all known results, also if its own result was known.
    this.#told.delete(index);
    this.#told.set(index, Math.max(-1, ...this.#told.values()) + 1);
    const order = [...this.#told].sort(([, one], [, other]) => one - other).map(([at]) => at);
    for (const [at, { result }] of calls.entries()) {
      const place = order.indexOf(at);
      // Results without any entry yet come last.
      if (result !== undefined) result.order = place < 0 ? order.length : place;
    }
  }
}
