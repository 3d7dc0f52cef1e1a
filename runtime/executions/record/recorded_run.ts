// The port to all that is stored of one run: what a replay is made of.
import type { Frame } from "../../events/frame.ts";
import type { Message } from "../../models/message.ts";
import type { HumanAnswer, HumanRequest } from "../human_request.ts";
import type { CallTerms } from "./call_terms.ts";
import type { PlacedMessage } from "./conversation.ts";
import type { StoredCall } from "./conversation_store.ts";
import type { StoredExecution } from "./execution_reads.ts";

/** A message as it was stored. */
export interface RecordedMessage extends PlacedMessage {
  /** Whether an earlier run left it. */
  seeded: boolean;
}

/** A question that stands in a run's log, its own or that of one below it, and what came of it. */
export interface RecordedQuestion {
  request: HumanRequest;
  /** Null: nobody answered. */
  answer: HumanAnswer | null;
}

/** One run, as far as it is stored. */
export interface RecordedRun extends StoredExecution {
  /** By position; none where its conversation was removed. */
  messages: RecordedMessage[];
  calls: StoredCall[];
  questions: RecordedQuestion[];
  /** The terms of its model calls, by the place of the message that names them; empty in a run of an older version. */
  terms: ReadonlyMap<number, CallTerms>;
  frames: Frame[];
}

/** Reads recorded runs. */
export interface RecordedRunStore {
  /** Undefined for an unknown execution. */
  readRecordedRun(executionId: number): Promise<RecordedRun | undefined>;
}

/** The messages of a list, without their places. */
export function messagesOf(placed: readonly PlacedMessage[]): Message[] {
  return placed.map(({ message }) => message);
}
