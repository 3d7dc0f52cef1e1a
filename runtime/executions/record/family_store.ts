// The port to executions above and below each other: one waits for another, and what stands where.
import type { FrameDraft } from "../../events/frame.ts";
import type { Execution, ExecutionTotals } from "../execution.ts";
import type { HumanRequest } from "../human_request.ts";

/** An execution about to wait for one that it delegated to. */
export interface WaitForChild {
  childId: number;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** They tell the question, the same that readOpenRequest gives. */
  frames: (request: HumanRequest) => FrameDraft[];
}

/** An execution, as one of those above another. */
export interface LineageMember {
  executionId: number;
  agentId: string;
}

/** Families of executions. Rejects with a RuntimeError of code `storage` where nothing can be stored. */
export interface FamilyStore {
  /**
   * Lets a running execution wait because one that it delegated to waits. Undefined, and nothing is changed, when that one
   * does not wait (any more).
   */
  waitForChild(
    executionId: number,
    waiting: WaitForChild,
  ): Promise<{ execution: Execution; request: HumanRequest } | undefined>;

  /** The execution that a call of another one started. */
  findChild(parentId: number, position: number): Promise<Execution | undefined>;

  /** Executions that this one delegated to directly, oldest first. */
  listChildren(parentId: number): Promise<Execution[]>;

  /** How many calls with the effect `unsafe` have begun in an execution and those below it. */
  countUnsafeCalls(executionId: number): Promise<number>;

  /** An execution and all above it, itself first. */
  readLineage(executionId: number): Promise<LineageMember[]>;

  /** What all executions below this one used together. */
  sumDescendants(executionId: number): Promise<ExecutionTotals>;
}
