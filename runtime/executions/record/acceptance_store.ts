// The store interface for accepting executions, with the reasons of refusals.
import type { AuditEntry } from "../../audit/audit_table.ts";
import type { Budget } from "../budget.ts";
import type { FrameDraft } from "../../events/frame.ts";
import type { PlacedMessage, RecordedMessage } from "./conversation.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionTrigger } from "../../vocabulary/trigger_kinds.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import type { Claim } from "../../vocabulary/run_cause.ts";

/** The data of an execution to accept. */
export interface NewExecution {
  agentId: string;
  displayName: string;
  trigger: ExecutionTrigger;
  parentExecutionId: number | null;
  /** The position of the parent's call that started the execution. Null without a parent. */
  parentPosition: number | null;
  /** The number of the execution's ancestors. */
  depth: number;
  sessionId: string | null;
  request: ExecutionRequest;
  model: string;
  startedAt: number;
}

/** The first steps of another execution that are copied into the accepted one. */
export interface CopiedSteps {
  executionId: number;
  /** The position after the last copied message. */
  end: number;
  count: number;
  /** The fork's system prompt. Absent if it equals the stored one. */
  prompt?: PlacedMessage;
  /** A person's message after the copied steps. With `replaces`, the message replaces the original user turn. */
  message?: PlacedMessage & { replaces: boolean };
}

/** The conditions of an acceptance, and the first frames of the execution. */
export interface AcceptanceTerms {
  idempotencyKey?: string;
  /** Further idempotency keys that identify the same execution. */
  otherKeys?: readonly string[];
  /**
   * True if the execution is refused while another execution of its bucket waits for a person. A bucket is an agent's runs
   * in one chat session, its delegated runs, or its other runs.
   */
  unlessWaiting: boolean;
  claim?: Claim;
  /** The entry of the audit. Absent if the run fires by itself. */
  audit?: AuditEntry | undefined;
  /** The budgets that must not be used up. */
  budgets?: readonly Budget[];
  /** The steps to copy into a fork. The store throws ForkedStepsGone if they were removed. */
  taken?: CopiedSteps;
  /** The messages that the request brought. The run's opening replaces them. */
  given?: readonly RecordedMessage[];
  /**
   * Returns the start time. Called after all locks are acquired, so that the times of a schedule's runs do not overlap. If
   * absent, the execution starts at `startedAt`.
   */
  startsAt?: () => number;
  frames: (execution: Execution) => FrameDraft[];
}

/**
 * The reason for a refusal. `waiting`: another execution of the same bucket (see `unlessWaiting`) waits for a person.
 * `running`: the agent's last execution by its schedule or change trigger still runs. `claimed`: the trigger event was consumed before. `budget`: a
 * budget of the execution is used up.
 */
export type AcceptanceRefusal = "waiting" | "running" | "claimed" | "budget";

/** The accepted execution, or the reason of the refusal. `isNew` is false if an earlier equal request was accepted. */
export type Acceptance =
  | { execution: Execution; isNew: boolean }
  | { refused: AcceptanceRefusal };

/** Stores new executions. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface AcceptanceStore {
  /**
   * Stores an execution with its first frames and consumes its claim, in one transaction. Returns the earlier execution if
   * it has the same idempotency key and is under 24 hours old, or comes from the same call of the same parent. If a
   * scheduled run is refused, its due time is stored as skipped.
   */
  acceptExecution(execution: NewExecution, terms: AcceptanceTerms): Promise<Acceptance>;
}
