// The store interface for conversations. The opening, replies, calls and results are each stored before the next step of
// the run.
import type { FrameDraft } from "../../events/frame.ts";
import type { Message } from "../../models/message.ts";
import type { DescribedCall } from "./call_preview.ts";
import type { Effect } from "../../tools/definition/tool.ts";
import type { RecordedTerms } from "./call_terms.ts";
import type { PlacedMessage, PlannedCall, RecordedMessage } from "./conversation.ts";
import type { Execution } from "../execution.ts";
import type { GivenAnswer } from "../human_request.ts";

/** The stored state of a call. */
export interface StoredCall extends PlannedCall {
  /** The effect of the call. Null until the call starts. */
  effect: Effect | null;
  /**
   * The start of the call, in milliseconds since 1970. Null if the call never started. For a call that is not `unsafe`, the
   * start is stored only with the result and is null before.
   */
  startedAt: number | null;
  /** The result of the call. Null until there is a result. */
  result: { content: string; isError: boolean; durationMs: number } | null;
  /** The calls that a dry run described: this call, or those of the execution that this call started. */
  described?: DescribedCall[];
  /** True if the frame of the result is in the log. */
  logged: boolean;
}

/** A call with its result. */
export type FinishedCall = StoredCall & { result: NonNullable<StoredCall["result"]> };

/** The opening messages (history, system message, user turn) and their frames. */
export interface RecordedOpening {
  messages: RecordedMessage[];
  frames: FrameDraft[];
  /** True if the request brought messages. They are stored, and the opening contains them. */
  replacesGiven?: boolean;
  /** The settings and tools of the first model call. */
  terms?: RecordedTerms;
}

/** A new system message that replaces the stored one, and its frame. */
export interface ReplacedSystem {
  message: PlacedMessage;
  frame: FrameDraft;
}

/** A model reply with everything that is stored with it. */
export interface RecordedReply {
  message: PlacedMessage;
  /** The settings and tools of the model call. */
  terms?: RecordedTerms;
  calls: PlannedCall[];
  /** The tokens of the call. Null if the endpoint reported no usage. */
  usage: { inputTokens: number; outputTokens: number } | null;
  /** The cost of the call in dollars. Null if no price is known. */
  costUsd: number | null;
  /** The running time in milliseconds since the last stored change. */
  durationMs: number;
  /** Creates the reply's frames from the execution with its new figures. */
  frames: (figures: Execution) => FrameDraft[];
}

/** The intent of a call: its effect and its start. */
export interface CallIntent {
  position: number;
  effect: Effect;
  startedAt: number;
}

/** The result of a call with everything that is stored with it. */
export interface RecordedResult {
  message: PlacedMessage;
  /** The intent of the call, if it is not stored yet. */
  intent?: CallIntent;
  /** The effect of the call. The result of an `unsafe` call is flushed to disk. */
  effect: Effect;
  durationMs: number;
  /** The calls that a dry run described, see StoredCall. */
  described?: DescribedCall[];
  frame: (call: FinishedCall) => FrameDraft;
  /** Instructions that the result adds to the conversation. */
  instructions?: { message: PlacedMessage; frame: FrameDraft };
}

/** A stored conversation. */
export interface StoredConversation {
  messages: PlacedMessage[];
  calls: StoredCall[];
  /** The answers by the position of the call, in the order of the questions. */
  answers: ReadonlyMap<number, readonly GivenAnswer[]>;
  /** The positions of calls that started other executions. */
  delegated: ReadonlySet<number>;
}

/**
 * The fields of a new execution by which its history is found. The history comes from an earlier execution of the same
 * bucket (see buckets.ts).
 */
export type SeededExecution = Pick<Execution, "id" | "agentId" | "sessionId" | "trigger">;

/** An earlier conversation from which a new run gets its history. */
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

  /** Stores a reply with its calls and cost. Returns the execution with its new figures. */
  recordReply(executionId: number, reply: RecordedReply): Promise<Execution>;

  /** Stores a message that the runtime injects, with its frame. */
  addMessage(
    executionId: number,
    added: { message: PlacedMessage; frame: FrameDraft },
  ): Promise<void>;

  /** Stores a frame without any other change. */
  addFrame(executionId: number, frame: FrameDraft): Promise<void>;

  /** Stores the intent of a call before it starts. */
  startCall(executionId: number, call: CallIntent): Promise<void>;

  /** Removes the stored intent of a call that was not carried out and will be made again. */
  resetCall(executionId: number, position: number): Promise<void>;

  /**
   * Stores the result of a call and its instructions. Appends the frames of results to the log in the order of the calls: a
   * result's frame waits until all results before it are logged.
   */
  finishCall(executionId: number, result: RecordedResult): Promise<void>;

  /** Returns the calls that a dry run and its descendants described, in order. */
  readDescribed(executionId: number): Promise<DescribedCall[]>;

  readConversation(executionId: number): Promise<StoredConversation>;

  /**
   * Returns the conversation of the newest ended execution before this one in the same bucket (see buckets.ts). Undefined
   * if there is none.
   */
  readSeed(execution: SeededExecution): Promise<Seed | undefined>;
}
