// The order of the calls of one reply: calls that work on the same resource run in the order of the reply, all others run
// concurrently. The tools lock files against other runs (path_locks.ts).
import type { ActionTool } from "../../tools/definition/tool.ts";
import type { PreparedCall } from "./prepare_call.ts";

/** A call's turn. */
export interface Turn {
  /** Resolves when the calls that it must wait for have ended. */
  ready: Promise<unknown>;
  /** Starts the calls that wait for it. Must be called at the end of the call, even after a failure. */
  end(): void;
}

/** The calls that the next call on one resource may have to wait for. */
interface Line {
  change: Promise<void>;
  /** The reads since that change. */
  reads: Promise<void>[];
}

/**
 * The turns of one reply. A change waits for every earlier call on the same resource, a read for the earlier changes. So a
 * file_read sees the result of an earlier file_write, and never that of a later one.
 *
 * Decision: all files are one resource, because two paths may name one file, and an earlier call may change that (rejected: an
 * order for each path).
 */
export class ReplyOrder {
  readonly #lines = new Map<NonNullable<ActionTool["worksOn"]>, Line>();

  /** Returns the turn of the next call of the reply, or undefined if it need not wait. */
  take(step: PreparedCall): Turn | undefined {
    if (step.kind !== "run" || step.ready.tool.worksOn === undefined) return undefined;
    const { tool: { worksOn }, effect } = step.ready;
    const line = this.#lines.get(worksOn) ?? { change: Promise.resolve(), reads: [] };
    const { promise, resolve: end } = Promise.withResolvers<void>();
    if (effect === "read") {
      this.#lines.set(worksOn, { ...line, reads: [...line.reads, promise] });
      return { ready: line.change, end };
    }
    this.#lines.set(worksOn, { change: promise, reads: [] });
    return { ready: Promise.all([line.change, ...line.reads]), end };
  }
}
