// The store interface for conversations: the opening, replies, calls and results, each stored before the next step begins.
import type { FrameDraft } from "../../events/frame.ts";
import type { Message } from "../../models/message.ts";
import type { DescribedCall } from "./call_preview.ts";
import type { Effect } from "../../tools/definition/tool.ts";
import type { RecordedTerms } from "./call_terms.ts";
import type { PlacedMessage, PlannedCall } from "./conversation.ts";
import type { Execution } from "../execution.ts";
import type { GivenAnswer } from "../human_request.ts";

/** The stored state of a call. */
export interface StoredCall extends PlannedCall {
  /** Null until the call starts. */
  effect: Effect | null;
  /** Set before the call starts. Null if it never started. */
  startedAt: number | null;
  /** Null until the call has a result. */
  result: { content: string; isError: boolean; durationMs: number } | null;
  /** The calls that a dry run described: this one, or those of the execution that it started. */
  described?: DescribedCall[];
  /** True if the result's frame is in the log. */
  logged: boolean;
}

/** A call with its result. */
export type FinishedCall = StoredCall & { result: NonNullable<StoredCall["result"]> };

/** The opening messages (seed, system, user turn) and their frames. */
export interface RecordedOpening {
  messages: (PlacedMessage & { seeded: boolean })[];
  frames: FrameDraft[];
  /** The terms of the first model call. */
  terms?: RecordedTerms;
}

/** A renewed system message at its old position, and its frame. */
export interface ReplacedSystem {
  message: PlacedMessage;
  frame: FrameDraft;
}

/** A model reply with everything that is stored with it. */
export interface RecordedReply {
  message: PlacedMessage;
  /** The terms of its model call. */
  terms?: RecordedTerms;
  calls: PlannedCall[];
  /** Null if the endpoint reported no usage. */
  usage: { inputTokens: number; outputTokens: number } | null;
  /** Null if no price is known. */
  costUsd: number | null;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** Creates its frames from the cumulative figures. */
  frames: (figures: Execution) => FrameDraft[];
}

/** The intent of a call, stored before it starts. */
export interface CallIntent {
  position: number;
  effect: Effect;
  startedAt: number;
}

/** The result of a call with everything that is stored with it. */
export interface RecordedResult {
  message: PlacedMessage;
  /** `unsafe` results are flushed to disk. */
  effect: Effect;
  durationMs: number;
  /** See StoredCall. */
  described?: DescribedCall[];
  frame: (call: FinishedCall) => FrameDraft;
  /** Instructions that the result adds to the conversation. */
  instructions?: { message: PlacedMessage; frame: FrameDraft };
}

/** A stored conversation. */
export interface StoredConversation {
  messages: PlacedMessage[];
  calls: StoredCall[];
  /** Answers by the position of their call, in the order of the questions. */
  answers: ReadonlyMap<number, readonly GivenAnswer[]>;
  /** The positions of calls that started other executions. */
  delegated: ReadonlySet<number>;
}

/** The execution to seed. Its seed comes from an earlier execution of the same bucket. */
export type SeededExecution = Pick<Execution, "id" | "agentId" | "sessionId" | "trigger">;

/** A conversation that a new run may be seeded from. */
export interface Seed {
  messages: Message[];
  /** The execution that had this conversation. */
  execution: Execution;
}

/**
 * Stores conversations of executions. Each method is one transaction and rejects with a RuntimeError of code `storage` if it
 * fails.
 */
export interface ConversationStore {
  beginConversation(executionId: number, opening: RecordedOpening): Promise<void>;

  /** Replaces the conversation's first system message. */
  replaceSystem(executionId: number, replaced: ReplacedSystem): Promise<void>;

  /** Stores a reply, its calls and its cost. Returns the execution with the new figures. */
  recordReply(executionId: number, reply: RecordedReply): Promise<Execution>;

  /** Stores a message that the runtime injects, with its frame. */
  addMessage(
    executionId: number,
    added: { message: PlacedMessage; frame: FrameDraft },
  ): Promise<void>;

  /** Stores a frame without any other change. */
  addFrame(executionId: number, frame: FrameDraft): Promise<void>;

  /** Stores the intent of a call before it begins. */
  startCall(executionId: number, call: CallIntent): Promise<void>;

  /** Removes the intent of a call that ended without an effect and will start again. */
  resetCall(executionId: number, position: number): Promise<void>;

  /**
   * Stores the result of a call and its instructions. Logs every result that follows logged ones without a gap, so that
   * frames are in the order of the calls.
   */
  finishCall(executionId: number, result: RecordedResult): Promise<void>;

  /** Returns the calls that a dry run and its descendants described, in order. */
  readDescribed(executionId: number): Promise<DescribedCall[]>;

  readConversation(executionId: number): Promise<StoredConversation>;

  /** Returns the newest ended execution before this one, in the same bucket, that has a conversation. */
  readSeed(execution: SeededExecution): Promise<Seed | undefined>;
}
