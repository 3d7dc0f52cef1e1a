// The store interface for parents and children of executions.
import type { FrameDraft } from "../../events/frame.ts";
import type { Execution, ExecutionTotals } from "../execution.ts";
import type { HumanRequest } from "../human_request.ts";

/** The wait of an execution for one of its children. */
export interface WaitForChild {
  childId: number;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** Creates the frames that show the question, the same one that readOpenRequest returns. */
  frames: (request: HumanRequest) => FrameDraft[];
}

/** A member of an execution's lineage. */
export interface LineageMember {
  executionId: number;
  agentId: string;
}

/** Reads and changes families of executions. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface FamilyStore {
  /**
   * Lets a running execution wait because its child waits. Returns undefined and changes nothing if the child does not wait.
   */
  waitForChild(
    executionId: number,
    waiting: WaitForChild,
  ): Promise<{ execution: Execution; request: HumanRequest } | undefined>;

  /** Returns the execution that a call of the parent started. */
  findChild(parentId: number, position: number): Promise<Execution | undefined>;

  /** Returns the direct children of an execution, oldest first. */
  listChildren(parentId: number): Promise<Execution[]>;

  /** Counts the started calls with the effect `unsafe` of an execution and its descendants. */
  countUnsafeCalls(executionId: number): Promise<number>;

  /** Returns an execution and its ancestors, itself first. */
  readLineage(executionId: number): Promise<LineageMember[]>;

  /** Sums the usage of all descendants of an execution. */
  sumDescendants(executionId: number): Promise<ExecutionTotals>;
}
