// Stores the messages to people in a table. A message is stored in the transaction of its event, so that it cannot be lost.
// Similar messages are combined, and each attempt to send a message claims it.
import { HOUR_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { NotifyKind } from "../config/notify_schema.ts";
import type { OutgoingMessage } from "./channels/channel.ts";
import type { MessageDraft } from "./drafts.ts";
import type { NotableEvent } from "./notable_event.ts";
import type { Database } from "../database/database.ts";
import { afterCommit, get, lock, type Operation, run, send } from "../database/operation.ts";

/**
 * The time within which a channel gets at most one message of a kind about an agent, in milliseconds. Further messages are
 * counted.
 */
export const FOLD_MS = HOUR_MS;

/**
 * The time for which a claim prevents other attempts, in milliseconds. It is longer than an attempt through any channel.
 */
export const ATTEMPT_MS = MINUTE_MS;

/** A message that is claimed for an attempt to send it. Times are in milliseconds since 1970. */
export interface ClaimedMessage extends Omit<OutgoingMessage, "kind" | "at" | "link"> {
  channel: string;
  kind: NotifyKind;
  /** The time of the first event that the message is about. */
  createdAt: number;
  /** The number of this attempt. The first is 1. */
  attempt: number;
  firstTriedAt: number;
}

/** The filter for messages that can be sent now. */
export interface MessageFilter {
  /** The channels that are in use. Their messages are left out. */
  except: readonly string[];
  /** The kinds of messages to send. Null: all kinds. */
  kinds: readonly NotifyKind[] | null;
}

/**
 * A store that writes the messages about an event in the event's transaction, so that event and messages are committed
 * together.
 */
export interface EventMessages {
  record(event: NotableEvent): Operation<void>;
}

/** The EventMessages of a runtime that sends no messages. */
export const NO_MESSAGES: EventMessages = { *record() {} };

/** The options of SqlOutbox. */
export interface SqlOutboxOptions {
  draftMessages: (event: NotableEvent) => MessageDraft[];
  now: () => number;
  /** Called after the transaction in which a message was stored. */
  stored: () => void;
  /** Called if a message could not be created. The event is stored nevertheless. */
  failed: (error: unknown) => void;
}

/** A stored message. */
interface MessageRow extends Omit<ClaimedMessage, "isReminder" | "firstTriedAt"> {
  seq: number;
  /** The key of similar messages; null if the message is never combined. */
  fold: string | null;
  firstTriedAt: number | null;
}

const COLUMNS = 'seq, id, channel, kind, agent_id AS "agentId", execution_id AS "executionId", ' +
  'request_id AS "requestId", fold, title, body AS text, count, created_at AS "createdAt", ' +
  'attempts AS attempt, first_tried_at AS "firstTriedAt"';

/**
 * An SQL condition for open messages that a MessageFilter allows to be sent. A message waits while an earlier message of
 * its execution and channel was tried and is open.
 */
const ELIGIBLE = "closed_at IS NULL " +
  "AND channel NOT IN (SELECT value FROM json_each(?1)) " +
  "AND (CAST(?2 AS TEXT) IS NULL OR kind IN (SELECT value FROM json_each(?2))) " +
  "AND NOT EXISTS (SELECT 1 FROM outbox earlier WHERE earlier.channel = outbox.channel " +
  "AND earlier.execution_id = outbox.execution_id AND earlier.closed_at IS NULL " +
  "AND earlier.attempts > 0 AND earlier.seq < outbox.seq)";

/** The messages that are stored in one database. */
export class SqlOutbox implements EventMessages {
  readonly #db: Database;
  readonly #options: SqlOutboxOptions;

  constructor(db: Database, ports: SqlOutboxOptions) {
    this.#db = db;
    this.#options = ports;
  }

  *record(event: NotableEvent): Operation<void> {
    const now = this.#options.now();
    const drafts = this.#draft(event);
    for (const draft of drafts) yield* upsertMessage(draft, now);
    if (drafts.length > 0) yield* afterCommit(this.#options.stored);
  }

  /** Stores the messages about an event in a transaction of their own. */
  announce(event: NotableEvent): Promise<void> {
    return this.#db.change("process", () => this.record(event));
  }

  /**
   * Claims the oldest due message and counts the attempt. The message is due again after ATTEMPT_MS, in case this process
   * ends before it reports the result. While a message was tried and is open, later ones of its execution and channel wait.
   * Before the claim, closes the messages about questions that no longer wait for an answer.
   */
  claim(
    { now, ...selection }: MessageFilter & { now: number },
  ): Promise<ClaimedMessage | undefined> {
    return this.#db.change("process", function* () {
      yield* lock("outbox");
      yield* closeAnswered(now);
      for (;;) {
        const row = yield* get<MessageRow>(
          `SELECT ${COLUMNS} FROM outbox WHERE ${ELIGIBLE} AND due_at <= ?3 ORDER BY seq LIMIT 1`,
          ...toParameters(selection),
          now,
        );
        if (row === undefined) return undefined;
        const { seq, fold, ...message } = row;
        const attempt = row.attempt + 1;
        const firstTriedAt = row.firstTriedAt ?? now;
        const taken = yield* run(
          "UPDATE outbox SET attempts = ?, first_tried_at = ?, due_at = ? WHERE seq = ? AND closed_at IS NULL",
          attempt,
          firstTriedAt,
          now + ATTEMPT_MS,
          seq,
        );
        // If no row changed, another node has meanwhile replaced this row by a combined message. The loop then reads the
        // next row.
        if (taken === 1) {
          const isReminder = row.requestId !== null && fold !== null;
          return { ...message, isReminder, attempt, firstTriedAt };
        }
      }
    });
  }

  /** Returns the time of the next due message in milliseconds since 1970, or undefined if no message is open. */
  readNextDue(selection: MessageFilter): Promise<number | undefined> {
    return this.#db.read(function* () {
      const row = yield* get<{ due: number | null }>(
        `SELECT min(due_at) AS due FROM outbox WHERE ${ELIGIBLE}`,
        ...toParameters(selection),
      );
      return row?.due ?? undefined;
    });
  }

  countOpen(): Promise<number> {
    return this.#db.read(function* () {
      const row = yield* get<{ open: number }>(
        "SELECT count(*) AS open FROM outbox WHERE closed_at IS NULL",
      );
      return row?.open ?? 0;
    });
  }

  /**
   * Makes each message that was tried before due now. Called at the start of the service, because the cause of the failures
   * may be fixed.
   */
  retryAll(now: number): Promise<void> {
    return this.#db.change("process", function* () {
      yield* send(
        "UPDATE outbox SET due_at = ?1 WHERE closed_at IS NULL AND attempts > 0 AND due_at > ?1",
        now,
      );
    });
  }

  /** Sets the time of the next attempt. */
  postpone(id: string, dueAt: number): Promise<void> {
    const sql = "UPDATE outbox SET due_at = ? WHERE id = ? AND closed_at IS NULL";
    return this.#db.change("process", () => send(sql, dueAt, id));
  }

  /** Closes a message with its outcome. No further attempt is made. */
  close(
    id: string,
    { outcome, at }: { outcome: "delivered" | "given up"; at: number },
  ): Promise<void> {
    const sql = "UPDATE outbox SET closed_at = ?, outcome = ? WHERE id = ? AND closed_at IS NULL";
    return this.#db.change("process", () => send(sql, at, outcome, id));
  }

  /** Deletes the messages that were closed before `before`. */
  purge(before: number): Promise<void> {
    const sql = "DELETE FROM outbox WHERE closed_at < ?";
    return this.#db.change("process", () => send(sql, before));
  }

  #draft(event: NotableEvent): MessageDraft[] {
    try {
      return this.#options.draftMessages(event);
    } catch (error) {
      // An error in the text of a message must not prevent an execution from pausing or ending.
      this.#options.failed(error);
      return [];
    }
  }
}

/** Stores a message. If a similar message waits for its first attempt, replaces it and increments the count. */
function* upsertMessage(draft: MessageDraft, now: number): Operation<void> {
  const { channel, kind, agentId, requestId, delayMs = 0 } = draft;
  // Questions are not combined. A reminder is combined with itself, so that there is one for each question.
  const fold = draft.isFoldable || delayMs > 0
    ? JSON.stringify([channel, kind, agentId, ...delayMs > 0 ? [requestId] : []])
    : null;
  // The lock makes all nodes store similar messages one after the other, so that they are combined.
  if (fold !== null) yield* lock(`outbox ${fold}`);
  const waiting = fold === null
    ? undefined
    : (yield* get<Pick<MessageRow, "id" | "count" | "createdAt"> & { dueAt: number }>(
      "DELETE FROM outbox WHERE fold = ? AND closed_at IS NULL AND attempts = 0 " +
        'RETURNING id, count, created_at AS "createdAt", due_at AS "dueAt"',
      fold,
    ));
  const tried = yield* get<{ at: number | null }>(
    "SELECT max(first_tried_at) AS at FROM outbox WHERE fold = ?",
    fold,
  );
  const dueAt = waiting?.dueAt ?? Math.max(now + delayMs, (tried?.at ?? -Infinity) + FOLD_MS);
  // The combined message becomes the last row: it is about the newest execution, and must follow that execution's other
  // messages.
  yield* send(
    "INSERT INTO outbox (id, channel, kind, agent_id, execution_id, request_id, fold, title, body, count, " +
      "created_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    waiting?.id ?? `msg_${crypto.randomUUID().replaceAll("-", "")}`,
    channel,
    kind,
    agentId,
    draft.executionId,
    requestId,
    fold,
    draft.title,
    draft.text,
    (waiting?.count ?? 0) + 1,
    waiting?.createdAt ?? now,
    dueAt,
  );
}

/** Closes the messages about questions that no longer wait for an answer. */
function* closeAnswered(now: number): Operation<void> {
  yield* send(
    "UPDATE outbox SET closed_at = ?, outcome = 'answered' WHERE closed_at IS NULL " +
      "AND request_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM requests " +
      "WHERE requests.request_id = outbox.request_id AND answered_at IS NULL)",
    now,
  );
}

function toParameters({ except, kinds }: MessageFilter): [string, string | null] {
  return [JSON.stringify(except), kinds === null ? null : JSON.stringify(kinds)];
}
