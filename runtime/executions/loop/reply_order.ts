// Orders the calls of one reply: calls on the same resource run in the order of the reply, all others run concurrently. A
// file is also guarded against a call that timed out, see PathSandbox.changes.
import type { ActionTool } from "../../tools/definition/tool.ts";
import type { PreparedCall } from "./prepare_call.ts";

/** The turn of a call that may have to wait for other calls. */
export interface Turn {
  /** Resolves when the calls before this one have ended. */
  ready: Promise<unknown>;
  /** Lets the waiting calls start. Must be called when the call has ended, even with a failure. */
  end(): void;
}

/** The calls on one resource that the next call may have to wait for. */
interface Line {
  change: Promise<void>;
  /** The reads since the last change. */
  reads: Promise<void>[];
}

/**
 * Gives each call of one reply its turn. A change waits for all earlier calls on the same resource, a read only for the
 * earlier changes. So a file_read sees the result of an earlier file_write, and never that of a later one.
 *
 * Decision: all files are one resource, because two paths may name the same file, and an earlier call may change which file
 * a path names (rejected: an order for each path).
 */
export class ReplyOrder {
  readonly #lines = new Map<NonNullable<ActionTool["worksOn"]>, Line>();

  /** Returns the turn of the next call of the reply. Undefined if the call works on no shared resource. */
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
