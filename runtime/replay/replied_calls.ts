// The calls of a recorded reply while its log is read: which result comes next, and which was there first.
import type { CassetteReply } from "./cassette.ts";

/** One reply with its calls. */
export class RepliedCalls {
  readonly reply: CassetteReply;
  /** Of the reply, in the conversation. */
  readonly position: number;
  readonly #steps: number;
  #logged = 0;
  /** By call: its place among what shows that a result was there. */
  readonly #told = new Map<number, number>();
  /** Calls whose instructions were logged. */
  readonly #brought = new Set<number>();

  /** `steps`: how many steps there are up to it. */
  constructor(reply: CassetteReply, at: { position: number; steps: number }) {
    this.reply = reply;
    this.position = at.position;
    this.#steps = at.steps;
  }

  /** How many of its results were logged by now. */
  get logged(): number {
    return this.#logged;
  }

  /** A result was logged: results stand in the order of the calls. `steps`: how many there are by now. */
  addResult(steps: number): void {
    const result = this.reply.calls[this.#logged]?.result;
    if (result === undefined) return;
    // One whose instructions were logged before was there by then.
    if (!this.#brought.has(this.#logged)) result.after = steps - this.#steps;
    if (!this.#told.has(this.#logged)) this.#told.set(this.#logged, this.#told.size);
    this.#logged++;
  }

  /**
   * Instructions are logged when their result is there: of several results, that tells which was there first. `steps`: how many
   * steps there are by now.
   */
  addInstructions(logged: string, steps: number): void {
    // The log's have no secrets: their first line names the skill.
    const beginning = logged.split("\n", 1)[0] ?? "";
    const { calls } = this.reply;
    // The result of the next call would have been logged with them.
    const index = calls.findIndex(({ result }, at) =>
      at !== this.#logged && result?.instructions?.startsWith(beginning) && !this.#brought.has(at)
    );
    if (index < 0) return;
    this.#brought.add(index);
    const brought = calls[index]?.result;
    if (brought !== undefined && index >= this.#logged) brought.after = steps - this.#steps;
    // Behind what was told by now, whether its own result was among that or not.
    this.#told.delete(index);
    this.#told.set(index, Math.max(-1, ...this.#told.values()) + 1);
    const order = [...this.#told].sort(([, one], [, other]) => one - other).map(([at]) => at);
    for (const [at, { result }] of calls.entries()) {
      const place = order.indexOf(at);
      // One that nothing tells of yet came behind all that are told.
      if (result !== undefined) result.order = place < 0 ? order.length : place;
    }
  }
}
