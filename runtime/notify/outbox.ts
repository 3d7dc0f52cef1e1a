// The port to the messages that are to be sent: stored with what they tell of, so that none is lost, and sent from there.
import { HOUR_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { NotifyKind } from "../config/notify_schema.ts";

/** At most one message of a kind about an agent goes to a channel in this time: what comes meanwhile is counted. */
export const FOLD_MS = HOUR_MS;

/** Longer than any channel takes for one attempt: until then nobody else makes one. */
export const ATTEMPT_MS = MINUTE_MS;

/** A message to one channel whose turn it is. Times are milliseconds since the epoch. */
export interface ClaimedMessage {
  /** The same at each attempt, so that a receiver can tell a repetition. */
  id: string;
  channel: string;
  kind: NotifyKind;
  agentId: string | null;
  executionId: number | null;
  requestId: string | null;
  title: string;
  text: string;
  /** How many equal ones it stands for; its text is that of the last one. */
  count: number;
  /** When the first of these happened. */
  createdAt: number;
  /** Which attempt this is, the first one being 1. */
  attempt: number;
  firstTriedAt: number;
}

/** What is left out for now. */
export interface Selection {
  /** Channels that are busy. */
  except: readonly string[];
  /** Only these kinds; null: all. */
  kinds: readonly NotifyKind[] | null;
}

/** The messages as their sender sees them. Each method is one transaction and rejects with StorageUnavailable. */
export interface OutboxStore {
  /**
   * Takes the oldest message that is due, counts the attempt, and makes it due again after ATTEMPT_MS: should this process
   * die on the way. One that has been tried holds back later ones of its execution to its channel. Questions that are no
   * longer open are dropped first.
   */
  claim(options: Selection & { now: number }): Promise<ClaimedMessage | undefined>;
  /** When the next one is due; undefined when none is open. */
  readNextDue(selection: Selection): Promise<number | undefined>;
  countOpen(): Promise<number>;
  /** Makes due at once what was tried before: the service starts anew, and what was wrong may be mended. */
  retryAll(now: number): Promise<void>;
  /** It is tried again then. */
  postpone(id: string, dueAt: number): Promise<void>;
  /** It needs no further attempt. */
  close(id: string, closing: { outcome: "delivered" | "given up"; at: number }): Promise<void>;
  /** Forgets what was closed before `before`. */
  purge(before: number): Promise<void>;
}
