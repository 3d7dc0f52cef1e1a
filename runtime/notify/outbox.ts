// The port to the outbox: messages are stored in the transaction of their event, so that none is lost, and sent from
// there.
import { HOUR_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { NotifyKind } from "../config/notify_schema.ts";

/** A channel gets at most one message of a kind about an agent in this time. Further ones are counted. */
export const FOLD_MS = HOUR_MS;

/** Longer than one attempt of any channel: until then no other process makes one. */
export const ATTEMPT_MS = MINUTE_MS;

/** A message that is due for one channel. Times are milliseconds since the epoch. */
export interface ClaimedMessage {
  /** Equal at each attempt, so that a receiver can detect a repetition. */
  id: string;
  channel: string;
  kind: NotifyKind;
  agentId: string | null;
  executionId: number | null;
  requestId: string | null;
  title: string;
  text: string;
  /** The number of similar messages that it stands for. Its text is the last one's. */
  count: number;
  /** The time of the first of these events. */
  createdAt: number;
  /** The number of this attempt, from 1. */
  attempt: number;
  firstTriedAt: number;
}

/** The messages to leave out for now. */
export interface MessageFilter {
  /** Busy channels. */
  except: readonly string[];
  /** Only these kinds; null: all kinds. */
  kinds: readonly NotifyKind[] | null;
}

/** The outbox of the message sender. Each method is one transaction and rejects with StorageUnavailable. */
export interface OutboxStore {
  /**
   * Claims the oldest due message, counts the attempt, and makes it due again after ATTEMPT_MS in case this process dies.
   * A message that was tried before blocks later ones of its execution to the same channel. Questions that are no longer
   * open are dropped first.
   */
  claim(options: MessageFilter & { now: number }): Promise<ClaimedMessage | undefined>;
  /** Returns the time of the next due message; undefined when none is open. */
  readNextDue(selection: MessageFilter): Promise<number | undefined>;
  countOpen(): Promise<number>;
  /** Makes every retried message due now. Called at the start of the service: the cause may be fixed. */
  retryAll(now: number): Promise<void>;
  /** Schedules the next attempt. */
  postpone(id: string, dueAt: number): Promise<void>;
  /** Ends the delivery of a message. */
  close(id: string, closing: { outcome: "delivered" | "given up"; at: number }): Promise<void>;
  /** Deletes the messages that were closed before `before`. */
  purge(before: number): Promise<void>;
}
