// The port to the acceptance of executions: what is accepted, what it takes with it, and why it may be refused.
import type { Budget } from "../budget/budget.ts";
import type { FrameDraft } from "../../events/frame.ts";
import type { PlacedMessage } from "./conversation.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionTrigger } from "../../trigger_kinds.ts";
import type { ExecutionRequest } from "../execution_request.ts";

/** An execution about to be accepted. */
export interface NewExecution {
  agentId: string;
  displayName: string;
  trigger: ExecutionTrigger;
  parentExecutionId: number | null;
  /** The place of the parent's call that it answers; null without a parent. */
  parentPosition: number | null;
  /** How many executions stand above it. */
  depth: number;
  sessionId: string | null;
  request: ExecutionRequest;
  model: string;
  startedAt: number;
}

/** What an execution takes with its acceptance, so that nothing else can be started by it. */
export type Claim =
  /** A slot of the agent's schedule; `reason` tells why it runs late. */
  | { type: "slot"; scheduledFor: number; reason: string | null }
  /** The queued change of a watched file. */
  | { type: "change"; path: string }
  /** The end of an execution that the agent follows. */
  | { type: "end"; executionId: number };

/** The first steps of another execution, which the accepted one has from its beginning. */
export interface TakenSteps {
  executionId: number;
  /** Of its messages those before this place; so many there are. */
  end: number;
  count: number;
  /** Its prompt, where it is not the stored one. */
  prompt?: PlacedMessage;
  /** What a person says then, or in the place of what was said. */
  message?: PlacedMessage & { replaces: boolean };
}

/** What an acceptance is bound to, and what is logged with it. */
export interface AcceptanceTerms {
  idempotencyKey?: string;
  /** Further keys that stand for the same execution. */
  otherKeys?: readonly string[];
  /** Refused while an execution of the same bucket waits for a person. */
  unlessWaiting: boolean;
  claim?: Claim;
  /** Refused while one of these is used up. */
  budgets?: readonly Budget[];
  /** Throws ForkedStepsGone where they are not there any more. */
  taken?: TakenSteps;
  /**
   * When it starts, asked once nothing is to be waited for any more: a schedule's runs do not overlap, and their times say so.
   * Absent: at `startedAt`, when it was wanted.
   */
  startsAt?: () => number;
  frames: (execution: Execution) => FrameDraft[];
}

/**
 * Why no execution was accepted. `waiting`: one of the same bucket waits for a person. `running`: the agent's last
 * scheduled one still runs. `claimed`: another execution, or nothing, has taken what this one claims. `budget`: one is used
 * up that its calls would count in.
 */
export type AcceptanceRefusal = "waiting" | "running" | "claimed" | "budget";

/** A new execution; with `isNew` false, the one that an equal request got before. */
export type Acceptance =
  | { execution: Execution; isNew: boolean }
  | { refused: AcceptanceRefusal };

/** Where executions begin. Rejects with a RuntimeError of code `storage` where nothing can be stored. */
export interface AcceptanceStore {
  /**
   * Stores an execution with its first frame; the same idempotency key within 24 hours, and the same call of the same
   * parent, gives the first one. What it claims is taken in the same change; a slot that is refused is stored as skipped.
   */
  acceptExecution(execution: NewExecution, terms: AcceptanceTerms): Promise<Acceptance>;
}
