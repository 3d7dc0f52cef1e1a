// The read interface to the complete record of one run, the input of a replay.
import type { Frame } from "../../events/frame.ts";
import type { Message } from "../../models/message.ts";
import type { HumanAnswer, HumanRequest } from "../human_request.ts";
import type { CallTerms } from "./call_terms.ts";
import type { PlacedMessage } from "./conversation.ts";
import type { StoredCall } from "./conversation_store.ts";
import type { StoredExecution } from "./execution_reads.ts";

/** A message as it was stored. */
export interface RecordedMessage extends PlacedMessage {
  /** True if it comes from an earlier run. */
  seeded: boolean;
}

/** A question in a run's log with its answer. The question may be one of a descendant. */
export interface RecordedQuestion {
  request: HumanRequest;
  /** Null if nobody answered. */
  answer: HumanAnswer | null;
}

/** The stored data of one run. */
export interface RecordedRun extends StoredExecution {
  /** By position. Empty if the conversation was removed. */
  messages: RecordedMessage[];
  calls: StoredCall[];
  questions: RecordedQuestion[];
  /** The terms of its model calls, by the position of their message. Empty in a run of an older version. */
  terms: ReadonlyMap<number, CallTerms>;
  frames: Frame[];
}

/** Reads recorded runs. */
export interface RecordedRunStore {
  /** Returns undefined for an unknown execution. */
  readRecordedRun(executionId: number): Promise<RecordedRun | undefined>;
}

/** Returns the messages of a list without their positions. */
export function messagesOf(placed: readonly PlacedMessage[]): Message[] {
  return placed.map(({ message }) => message);
}
