// The store interface for questions to people: open a question, answer it once, find open questions.
import type { AuditEntry } from "../../audit/audit_table.ts";
import type { FrameDraft } from "../../events/frame.ts";
import type { BudgetRaise } from "../budget.ts";
import type { Execution } from "../execution.ts";
import type { HumanAnswer, HumanRequest } from "../human_request.ts";
import type { Caller } from "../../vocabulary/callers.ts";
import type { PartialApproval } from "../approvals.ts";
import type { Resumption } from "./ending_store.ts";

/** A question to store. */
export interface OpeningRequest {
  request: HumanRequest;
  /** The running time in milliseconds since the last stored change. */
  durationMs: number;
  frames: FrameDraft[];
}

/** An answer to store, with the data that is stored with it. */
export interface RecordedAnswer {
  requestId: string;
  answer: HumanAnswer;
  answeredAt: number;
  /** The budget raise that the answer approves. */
  raise?: BudgetRaise;
  audit?: AuditEntry | undefined;
  /** Set if the question has a rule about the people who answer it. */
  approving?: {
    by: Caller | undefined;
    /** The id of the question if the answer changes the arguments and other people must approve them. */
    nextId: string;
    /** Creates the frames of an approval after which other people must approve. */
    frames: (execution: Execution, partial: PartialApproval) => FrameDraft[];
  };
  /**
   * Creates the frames of the answer for an execution that runs again. An ancestor gets them only if its log shows this
   * question.
   */
  frames: (execution: Execution) => FrameDraft[];
}

/**
 * Stores questions of executions. Each method is one transaction and rejects with a RuntimeError of code `storage` if it
 * fails.
 */
export interface RequestStore {
  /** Stores a question and changes its execution from running to waiting. Returns the execution. */
  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution>;

  /**
   * Stores the answer to an open question. The execution and the ancestors that waited only for it run again on this
   * machine. Returns undefined if the question is not open, because only the first answer counts. If more people must
   * approve, returns the approvals so far, and the question stays open. Throws ApproverForbidden and ApprovedBefore.
   */
  answerRequest(
    executionId: number,
    answer: RecordedAnswer,
  ): Promise<Resumption | PartialApproval | undefined>;

  /**
   * Returns the open question of an execution, or else the oldest open question of its descendants. With `requestId`,
   * returns the question with this id. Undefined if there is none.
   */
  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined>;

  /** Returns the open questions about sign-ins to MCP servers, oldest first. */
  readSignIns(): Promise<HumanRequest[]>;

  /** Returns the open question with the earliest deadline, without those in `except`. Undefined if none has a deadline. */
  readNextExpiry(except?: ReadonlySet<string>): Promise<HumanRequest | undefined>;
}
