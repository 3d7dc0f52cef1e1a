// In which order the calls of one reply take effect: those that work on the same thing by their place in the reply, all
// others side by side. What else happens to a file meanwhile is the affair of the tools (path_locks.ts).
import type { ActionTool } from "../../tools/tool.ts";
import type { PreparedCall } from "./prepare_call.ts";

/** A call's place in the order. */
export interface Turn {
  /** Resolves when the calls before it that it has to wait for have ended. */
  come: Promise<unknown>;
  /** Lets those after it begin. To be called however the call ended. */
  end(): void;
}

/** Those that the next call on one thing may have to wait for. */
interface Line {
  change: Promise<void>;
  /** Since that change. */
  reads: Promise<void>[];
}

/**
 * The turns of one reply. A change waits for every earlier call on the same thing, a read for the earlier changes; so a
 * file_read sees what a file_write before it wrote, and never what one after it will write.
 *
 * Decision: all files are one thing, because whether two paths name one file is known only once both were looked up, and
 * an earlier call may change the answer (rejected: an order for each path as it is written).
 */
export class ReplyOrder {
  readonly #lines = new Map<NonNullable<ActionTool["worksOn"]>, Line>();

  /** The turn of the next call of the reply; undefined where it need not wait for any. */
  take(step: PreparedCall): Turn | undefined {
    if (step.kind !== "run" || step.ready.tool.worksOn === undefined) return undefined;
    const { tool: { worksOn }, effect } = step.ready;
    const line = this.#lines.get(worksOn) ?? { change: Promise.resolve(), reads: [] };
    const { promise, resolve: end } = Promise.withResolvers<void>();
    if (effect === "read") {
      this.#lines.set(worksOn, { ...line, reads: [...line.reads, promise] });
      return { come: line.change, end };
    }
    this.#lines.set(worksOn, { change: promise, reads: [] });
    return { come: Promise.all([line.change, ...line.reads]), end };
  }
}
