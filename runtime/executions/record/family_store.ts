// The store interface for the parents and children of executions.
import type { FrameDraft } from "../../events/frame.ts";
import type { Execution, ExecutionTotals, RunRest } from "../execution.ts";
import type { HumanRequest } from "../human_request.ts";

/** A parent's wait for a child that waits for a person or rests. */
export interface WaitForChild {
  childId: number;
  /** The running time in milliseconds since the last stored change. */
  durationMs: number;
  /** Creates the frames that show the child's open question, `request`, in the parent's log. */
  frames: (request: HumanRequest) => FrameDraft[];
  /** Creates the frames that show the parent's own rest. */
  restFrames: (rest: RunRest) => FrameDraft[];
}

/** An execution or one of its ancestors. */
export interface LineageMember {
  executionId: number;
  agentId: string;
}

/**
 * Reads and changes the relations of parents and children. Rejects with a RuntimeError of code `storage` if nothing can be
 * stored.
 */
export interface FamilyStore {
  /**
   * Stores that a running execution waits, because its child waits, or rests, because its child rests. Returns undefined and
   * changes nothing if the child does neither.
   */
  waitForChild(
    executionId: number,
    waiting: WaitForChild,
  ): Promise<{ execution: Execution; request: HumanRequest } | { rest: RunRest } | undefined>;

  /** Returns the execution that the parent's call at this position started, or undefined. */
  findChild(parentId: number, position: number): Promise<Execution | undefined>;

  /** Returns the direct children of an execution, oldest first. */
  listChildren(parentId: number): Promise<Execution[]>;

  /** Returns the number of started calls with the effect `unsafe` in an execution and its descendants. */
  countUnsafeCalls(executionId: number): Promise<number>;

  /** Returns an execution and its ancestors, beginning with the execution itself. */
  readLineage(executionId: number): Promise<LineageMember[]>;

  /** Sums the usage of all descendants of an execution. */
  sumDescendants(executionId: number): Promise<ExecutionTotals>;
}
