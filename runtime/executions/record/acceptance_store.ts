// The store interface for accepting executions: the new execution, its claims, and the refusals.
import type { Budget } from "../budget.ts";
import type { FrameDraft } from "../../events/frame.ts";
import type { PlacedMessage } from "./conversation.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionTrigger } from "../../vocabulary/trigger_kinds.ts";
import type { ExecutionRequest } from "../execution_request.ts";

/** The data of an execution to accept. */
export interface NewExecution {
  agentId: string;
  displayName: string;
  trigger: ExecutionTrigger;
  parentExecutionId: number | null;
  /** The position of the parent's call that it answers. Null without a parent. */
  parentPosition: number | null;
  /** The number of its ancestors. */
  depth: number;
  sessionId: string | null;
  request: ExecutionRequest;
  model: string;
  startedAt: number;
}

/** The trigger event that an execution consumes with its acceptance, so that it starts no second one. */
export type Claim =
  /** A slot of the agent's schedule. `reason` says why it runs late. */
  | { type: "slot"; scheduledFor: number; reason: string | null }
  /** The queued change of a watched file. */
  | { type: "change"; path: string }
  /** The end of an execution that the agent follows. */
  | { type: "end"; executionId: number };

/** The first steps of another execution, copied into the accepted one. */
export interface CopiedSteps {
  executionId: number;
  /** The copied messages are the `count` messages before this position. */
  end: number;
  count: number;
  /** The system prompt, if it differs from the stored one. */
  prompt?: PlacedMessage;
  /** A person's message after the steps, or in place of the original user turn. */
  message?: PlacedMessage & { replaces: boolean };
}

/** The conditions of an acceptance, and its first frames. */
export interface AcceptanceTerms {
  idempotencyKey?: string;
  /** Further idempotency keys of the same execution. */
  otherKeys?: readonly string[];
  /** Refuse while an execution of the same bucket waits for a person. */
  unlessWaiting: boolean;
  claim?: Claim;
  /** Refuse while one of these budgets is used up. */
  budgets?: readonly Budget[];
  /** The steps to copy. The store throws ForkedStepsGone if they were removed. */
  taken?: CopiedSteps;
  /**
   * Returns the start time. Called after all waits, so that the times of a schedule's runs do not overlap. Absent: the
   * execution starts at `startedAt`.
   */
  startsAt?: () => number;
  frames: (execution: Execution) => FrameDraft[];
}

/**
 * The reason for a refusal. `waiting`: an execution of the same bucket waits for a person. `running`: the agent's last
 * scheduled execution still runs. `claimed`: the claimed event is already consumed. `budget`: a budget that its calls would
 * count in is used up.
 */
export type AcceptanceRefusal = "waiting" | "running" | "claimed" | "budget";

/** The accepted execution. `isNew` is false if an equal request was accepted before. */
export type Acceptance =
  | { execution: Execution; isNew: boolean }
  | { refused: AcceptanceRefusal };

/** Stores new executions. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface AcceptanceStore {
  /**
   * Stores an execution with its first frame. The same idempotency key within 24 hours, or the same call of the same parent,
   * returns the first execution. The same transaction consumes the claim. A refused slot is stored as skipped.
   */
  acceptExecution(execution: NewExecution, terms: AcceptanceTerms): Promise<Acceptance>;
}
