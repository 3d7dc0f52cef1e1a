// The interface for reading the complete record of a run, which a replay needs.
import type { Frame } from "../../events/frame.ts";
import type { Message } from "../../models/message.ts";
import type { HumanAnswer, HumanRequest } from "../human_request.ts";
import type { CallTerms } from "./call_terms.ts";
import type { PlacedMessage, RecordedMessage } from "./conversation.ts";
import type { StoredCall } from "./conversation_store.ts";
import type { StoredExecution } from "./execution_reads.ts";

/** A question in a run's log with its answer. The question may belong to a descendant. */
export interface RecordedQuestion {
  request: HumanRequest;
  /** The answer. Null if nobody answered. */
  answer: HumanAnswer | null;
}

/** The stored data of one run. */
export interface RecordedRun extends StoredExecution {
  /** The messages in the order of their positions. Empty if the conversation was removed. */
  messages: RecordedMessage[];
  calls: StoredCall[];
  questions: RecordedQuestion[];
  /**
   * The settings and tools of the run's model calls, by the position of the message. Empty for a run of an older version.
   */
  terms: ReadonlyMap<number, CallTerms>;
  frames: Frame[];
}

/** Returns messages without their positions. */
export function messagesOf(placed: readonly PlacedMessage[]): Message[] {
  return placed.map(({ message }) => message);
}
