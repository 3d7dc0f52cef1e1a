// The port to a conversation that grows: its opening, replies, calls and results, each stored before the next begins.
import type { FrameDraft } from "../../events/frame.ts";
import type { Message } from "../../models/message.ts";
import type { DescribedCall } from "../../tools/call_preview.ts";
import type { Effect } from "../../tools/tool.ts";
import type { PackedTerms } from "./call_terms.ts";
import type { PlacedMessage, PlannedCall } from "./conversation.ts";
import type { Execution } from "../execution.ts";
import type { GivenAnswer } from "../human_request.ts";

/** How far a planned call has come. */
export interface StoredCall extends PlannedCall {
  /** Known once its arguments were checked. */
  effect: Effect | null;
  /** Set before the call begins; null: it never began. */
  startedAt: number | null;
  /** The result, once there is one. */
  result: { content: string; isError: boolean; durationMs: number } | null;
  /** The calls that a dry run described instead of making them: this one, or those of the execution that it started. */
  described?: DescribedCall[];
  /** Whether the result's frame is in the log. */
  logged: boolean;
}

/** A call with its result. */
export type FinishedCall = StoredCall & { result: NonNullable<StoredCall["result"]> };

/** The opening messages (seed, system, user turn) and their frames. */
export interface RecordedOpening {
  messages: (PlacedMessage & { seeded: boolean })[];
  frames: FrameDraft[];
  /** Those of the first call. */
  terms?: PackedTerms;
}

/** A system message made anew, at its old place, and the frame that tells it. */
export interface ReplacedSystem {
  message: PlacedMessage;
  frame: FrameDraft;
}

/** A model reply with everything that is stored with it. */
export interface RecordedReply {
  message: PlacedMessage;
  /** Those of the call that it answers. */
  terms?: PackedTerms;
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

/** A call that is about to begin. */
export interface CallIntent {
  position: number;
  effect: Effect;
  startedAt: number;
}

/** The result of a call with everything that is stored with it. */
export interface RecordedResult {
  message: PlacedMessage;
  /** `unsafe` results are made safe against a power cut. */
  effect: Effect;
  durationMs: number;
  /** See StoredCall. */
  described?: DescribedCall[];
  frame: (call: FinishedCall) => FrameDraft;
  /** What the result brings along. */
  instructions?: { message: PlacedMessage; frame: FrameDraft };
}

/** A conversation as it stands. */
export interface StoredConversation {
  messages: PlacedMessage[];
  calls: StoredCall[];
  /** Answers by the position of the call they are for, in the order of the questions. */
  answers: ReadonlyMap<number, readonly GivenAnswer[]>;
  /** The places of calls that other executions were started for. */
  delegated: ReadonlySet<number>;
}

/** Whose conversation is looked for: of its bucket, and begun before it. */
export type SeededExecution = Pick<Execution, "id" | "agentId" | "sessionId" | "trigger">;

/** A conversation that a new run may be seeded from. */
export interface Seed {
  messages: Message[];
  /** How the run that had it ended. */
  execution: Execution;
}

/**
 * Conversations of executions. Each method is one change, all of it on disk or nothing, and rejects with a RuntimeError of
 * code `storage` where that cannot be done.
 */
export interface ConversationStore {
  beginConversation(executionId: number, opening: RecordedOpening): Promise<void>;

  /** Puts a system message in the place of the one that the conversation began with. */
  replaceSystem(executionId: number, replaced: ReplacedSystem): Promise<void>;

  /** Stores a reply, its planned calls, and what it cost; returns the execution with the new figures. */
  recordReply(executionId: number, reply: RecordedReply): Promise<Execution>;

  /** Stores a message that the runtime puts in, with its frame. */
  addMessage(
    executionId: number,
    added: { message: PlacedMessage; frame: FrameDraft },
  ): Promise<void>;

  /** Logs a frame that changes nothing else. */
  addFrame(executionId: number, frame: FrameDraft): Promise<void>;

  /** Stores the intent of a call before it begins. */
  startCall(executionId: number, call: CallIntent): Promise<void>;

  /** Takes the intent of a call back: it ended without an effect, to be begun again. */
  resetCall(executionId: number, position: number): Promise<void>;

  /**
   * Stores the result of a call and logs every result whose turn has come: frames stand in the order of the calls. With
   * it the instructions that the result brings.
   */
  finishCall(executionId: number, result: RecordedResult): Promise<void>;

  /** The calls that an execution, and those below it, described instead of making them, in their order. */
  readDescribed(executionId: number): Promise<DescribedCall[]>;

  readConversation(executionId: number): Promise<StoredConversation>;

  /** The newest ended execution before this one, in the same bucket, that has a conversation. */
  readSeed(execution: SeededExecution): Promise<Seed | undefined>;
}
