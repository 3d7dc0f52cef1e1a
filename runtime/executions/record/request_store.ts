// The port to questions to people: asking one, answering it once, finding what is open.
import type { FrameDraft } from "../../events/frame.ts";
import type { BudgetRaise } from "../budget/budget.ts";
import type { Execution } from "../execution.ts";
import type { HumanAnswer, HumanRequest } from "../human_request.ts";
import type { Resumption } from "../runs/resumption.ts";

/** A question about to be asked. */
export interface OpeningRequest {
  request: HumanRequest;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  frames: FrameDraft[];
}

/** An answer with everything that is stored with it. */
export interface RecordedAnswer {
  requestId: string;
  answer: HumanAnswer;
  answeredAt: number;
  /** What the answer allows beyond a budget. */
  raise?: BudgetRaise;
  /** The frames of an execution that runs again; for one above the one that asked, only where its log shows this question. */
  frames: (execution: Execution) => FrameDraft[];
}

/**
 * Questions of executions. Each method is one change, all of it on disk or nothing, and rejects with a RuntimeError of code
 * `storage` where that cannot be done.
 */
export interface RequestStore {
  /** Stores a question and lets a running execution wait for its answer; returns it with its figures. */
  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution>;

  /**
   * Stores the answer to the open request of this id and lets its execution, and all above that waited only for it, run
   * again, here: one change, so that of several answers one counts. Undefined when that request is not open (any more).
   */
  answerRequest(executionId: number, answer: RecordedAnswer): Promise<Resumption | undefined>;

  /**
   * The question that an execution waits with: its own, else the oldest of those it delegated to; with `requestId`, that
   * one of them.
   */
  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined>;

  /** The open request whose time is over first, but for those of `except`; undefined when none has a deadline. */
  readNextExpiry(except?: ReadonlySet<string>): Promise<HumanRequest | undefined>;
}
