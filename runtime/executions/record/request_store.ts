// The store interface for questions to people: open one, answer it once, find open ones.
import type { FrameDraft } from "../../events/frame.ts";
import type { BudgetRaise } from "../budget.ts";
import type { Execution } from "../execution.ts";
import type { HumanAnswer, HumanRequest } from "../human_request.ts";
import type { Resumption } from "./resumption.ts";

/** A question to store. */
export interface OpeningRequest {
  request: HumanRequest;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  frames: FrameDraft[];
}

/** An answer with the data that is stored with it. */
export interface RecordedAnswer {
  requestId: string;
  answer: HumanAnswer;
  answeredAt: number;
  /** The budget raise that the answer allows. */
  raise?: BudgetRaise;
  /** Creates the frames of an execution that runs again. Ancestors get them only if their log shows this question. */
  frames: (execution: Execution) => FrameDraft[];
}

/**
 * Stores questions of executions. Each method is one transaction and rejects with a RuntimeError of code `storage` if it
 * fails.
 */
export interface RequestStore {
  /** Stores a question and lets its running execution wait. Returns the execution. */
  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution>;

  /**
   * Stores the answer to an open request. The execution and the ancestors that waited only for it run again here. Only the
   * first of several answers counts: returns undefined if the request is not open.
   */
  answerRequest(executionId: number, answer: RecordedAnswer): Promise<Resumption | undefined>;

  /**
   * Returns the open question of an execution: its own, else the oldest one of its descendants. With `requestId` it returns
   * that one.
   */
  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined>;

  /** Returns the open request with the earliest deadline, without those in `except`. Undefined if none has a deadline. */
  readNextExpiry(except?: ReadonlySet<string>): Promise<HumanRequest | undefined>;
}
