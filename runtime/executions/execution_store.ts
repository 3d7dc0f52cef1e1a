// The port to stored executions. Each method is one whole change in one transaction, named for what it means.
import type { FrameDraft } from "../events/frame.ts";
import type { Message } from "../models/message.ts";
import type { Effect } from "../tools/tool.ts";
import type {
  Execution,
  ExecutionStatus,
  ExecutionTotals,
  ExecutionTrigger,
  FinalStatus,
} from "./execution.ts";
import type { GivenAnswer, HumanAnswer, HumanRequest } from "./human_request.ts";
import type { ExecutionRequest } from "./execution_request.ts";
import type { UsageStep } from "./usage.ts";

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
  | { type: "change"; path: string };

/**
 * Why no execution was accepted. `waiting`: one of the same bucket waits for a person. `running`: the agent's last
 * scheduled one still runs. `claimed`: another execution, or nothing, has taken what this one claims.
 */
export type AcceptanceRefusal = "waiting" | "running" | "claimed";

/** A new execution; with `isNew` false, the one that an equal request got before. */
export type Acceptance =
  | { execution: Execution; isNew: boolean }
  | { refused: AcceptanceRefusal };

/** An execution that runs again, and those above it that waited only for it. */
export interface Resumption {
  execution: Execution;
  /** The nearest first. */
  ancestors: Execution[];
}

/** A message at its place in the conversation. */
export interface PlacedMessage {
  /** 0-based; the results of a reply's calls have the places right behind it, in the order of the calls. */
  position: number;
  message: Message;
}

/** A call the model asked for, kept from its reply until its result is logged. */
export interface PlannedCall {
  /** The place of its result in the conversation. */
  position: number;
  toolCallId: string;
  name: string;
  arguments: string;
}

/** How far a planned call has come. */
export interface StoredCall extends PlannedCall {
  /** Known once its arguments were checked. */
  effect: Effect | null;
  /** Set before the call begins; null: it never began. */
  startedAt: number | null;
  /** The result, once there is one. */
  result: { content: string; isError: boolean; durationMs: number } | null;
  /** Whether the result's frame is in the log. */
  logged: boolean;
}

/** A call with its result. */
export type FinishedCall = StoredCall & { result: NonNullable<StoredCall["result"]> };

/** A model reply with everything that is stored with it. */
export interface RecordedReply {
  message: PlacedMessage;
  calls: PlannedCall[];
  /** Null where the endpoint reported no usage. */
  usage: { inputTokens: number; outputTokens: number } | null;
  /** Null where no price is known. */
  costUsd: number | null;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** Its frames; they are told the cumulative figures. */
  frames: (figures: Execution) => FrameDraft[];
}

/** The end of an execution. */
export interface Ending {
  /** The state it must be in: a run ends itself, a waiting execution is ended from outside. */
  from: "running" | "waiting";
  status: FinalStatus;
  error: string | null;
  output: string | null;
  finishedAt: number;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** The last frames, `complete` the very last. They are told the cumulative figures. */
  frames: (figures: Execution) => FrameDraft[];
}

/** A conversation that a new run may be seeded from. */
export interface StoredConversation {
  messages: Message[];
  /** How the run that had it ended. */
  execution: Execution;
}

/** A question about to be asked. */
export interface OpeningRequest {
  request: HumanRequest;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  frames: FrameDraft[];
}

/**
 * The port to stored executions. Each method is one change, all of it on disk or nothing, and rejects with a
 * RuntimeError of code `storage` where that cannot be done.
 */
export interface ExecutionStore {
  /**
   * Stores an execution with its first frame; the same idempotency key within 24 hours, and the same call of the same
   * parent, gives the first one. With `unlessWaiting` it is refused while an execution of the same bucket waits for a
   * person. What it claims is taken in the same change; a slot that is refused is stored as skipped.
   */
  acceptExecution(
    execution: NewExecution,
    options: {
      idempotencyKey?: string;
      unlessWaiting: boolean;
      claim?: Claim;
      frames: (execution: Execution) => FrameDraft[];
    },
  ): Promise<Acceptance>;

  /** Stores the opening messages (seed, system, user turn) and their frames. */
  beginConversation(
    executionId: number,
    opening: { messages: (PlacedMessage & { seeded: boolean })[]; frames: FrameDraft[] },
  ): Promise<void>;

  /** Stores a reply, its planned calls, and what it cost; returns the execution with the new figures. */
  recordReply(
    executionId: number,
    reply: RecordedReply,
  ): Promise<Execution>;

  /** Stores the intent of a call before it begins. */
  startCall(
    executionId: number,
    call: { position: number; effect: Effect; startedAt: number },
  ): Promise<void>;

  /** Takes the intent of a call back: it ended without an effect, to be begun again. */
  resetCall(executionId: number, position: number): Promise<void>;

  /**
   * Stores the result of a call and logs every result whose turn has come: frames stand in the order of the calls. With
   * it the instructions that the result brings.
   */
  finishCall(
    executionId: number,
    result: {
      message: PlacedMessage;
      /** `unsafe` results are made safe against a power cut. */
      effect: Effect;
      durationMs: number;
      frame: (call: FinishedCall) => FrameDraft;
      instructions?: { message: PlacedMessage; frame: FrameDraft };
    },
  ): Promise<void>;

  /** Stores a question and lets a running execution wait for its answer; returns it with its figures. */
  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution>;

  /**
   * Lets a running execution wait because one that it delegated to waits; its frames tell the question, the same that
   * readOpenRequest gives. Undefined, and nothing is changed, when that one does not wait (any more).
   */
  waitForChild(
    executionId: number,
    waiting: {
      childId: number;
      /** Running time since the last change, in milliseconds. */
      durationMs: number;
      frames: (request: HumanRequest) => FrameDraft[];
    },
  ): Promise<{ execution: Execution; request: HumanRequest } | undefined>;

  /**
   * Stores the answer to the open request of this id and lets its execution, and all above that waited only for it, run
   * again, here: one change, so that of several answers one counts. Undefined when that request is not open (any more).
   */
  answerRequest(
    executionId: number,
    answer: {
      requestId: string;
      answer: HumanAnswer;
      answeredAt: number;
      frames: (execution: Execution) => FrameDraft[];
    },
  ): Promise<Resumption | undefined>;

  /**
   * The question that an execution waits with: its own, else the oldest of those it delegated to; with `requestId`, that
   * one of them.
   */
  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined>;

  /** The open request whose time is over first; undefined when none has a deadline. */
  readNextExpiry(): Promise<HumanRequest | undefined>;

  /** Takes over a run that another instance left, to go on with it here. */
  adoptExecution(executionId: number): Promise<void>;

  /** The newest ended execution before this one, in the same bucket, that has a conversation. */
  readSeed(execution: Execution): Promise<StoredConversation | undefined>;

  /**
   * Ends an execution and returns it; those above that waited only for it run again, here. Undefined, and nothing is
   * changed, when it is not in the state that the ending expects (any more).
   */
  finishExecution(executionId: number, ending: Ending): Promise<Resumption | undefined>;

  /** The execution that a call of another one started. */
  findChild(parentId: number, position: number): Promise<Execution | undefined>;

  /** Executions that this one delegated to directly, oldest first. */
  listChildren(parentId: number): Promise<Execution[]>;

  /** Waiting executions whose result nobody wants any more: the one above them has ended. */
  findForsaken(): Promise<number[]>;

  /** The agents of an execution and of all above it, its own first. */
  readLineage(executionId: number): Promise<string[]>;

  /** What all executions below this one used together. */
  sumDescendants(executionId: number): Promise<ExecutionTotals>;

  /** Ids of executions that another, dead instance left running. */
  findAbandoned(): Promise<number[]>;

  readExecution(
    id: number,
  ): Promise<
    { execution: Execution; request: ExecutionRequest; output: string | null } | undefined
  >;
  listExecutions(filter: {
    statuses?: readonly ExecutionStatus[];
    agentId?: string;
    /** Only those that this one delegated to directly. */
    parentId?: number;
    limit: number;
    offset: number;
  }): Promise<Execution[]>;
  /** What the executions that began at `from` or later used; the oldest step first. */
  readUsage(from: number): Promise<UsageStep[]>;
  /** The newest execution of each of these agents that has one. */
  newestByAgent(agentIds: readonly string[]): Promise<Map<string, Execution>>;
  countByStatus(statuses: readonly ExecutionStatus[]): Promise<number>;
  readConversation(
    executionId: number,
  ): Promise<{
    messages: PlacedMessage[];
    calls: StoredCall[];
    /** Answers by the position of the call they are for, in the order of the questions. */
    answers: ReadonlyMap<number, readonly GivenAnswer[]>;
    /** The places of calls that other executions were started for. */
    delegated: ReadonlySet<number>;
  }>;
}
