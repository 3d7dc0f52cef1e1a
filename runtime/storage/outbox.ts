// The table of messages to people: stored with what they tell of, folded, claimed one attempt at a time.
import type { NotifyKind } from "../config/notify_schema.ts";
import type { MessageDraft } from "../notify/drafts.ts";
import type { NotableEvent } from "../notify/notable_event.ts";
import {
  ATTEMPT_MS,
  type ClaimedMessage,
  FOLD_MS,
  type MessageFilter,
  type OutboxStore,
} from "../notify/outbox.ts";
import type { Database } from "./database.ts";
import { afterwards, get, lock, type Operation, run } from "./operation.ts";

/** Takes down what happened: the message is stored if, and only if, what it tells of is. */
export interface MessageStock {
  tell(event: NotableEvent): Operation<void>;
}

/** One of a runtime that sends nothing. */
export const NO_MESSAGES: MessageStock = { *tell() {} };

/** What messages are made with. */
export interface SqlOutboxPorts {
  draftMessages: (event: NotableEvent) => MessageDraft[];
  now: () => number;
  /** Hears that there is something to send.  */
  stored: () => void;
  /** Hears of a message that could not be made; what it would have told of happens all the same. */
  failed: (error: unknown) => void;
}

interface MessageRow {
  seq: number;
  id: string;
  channel: string;
  kind: NotifyKind;
  agent_id: string | null;
  execution_id: number | null;
  request_id: string | null;
  title: string;
  body: string;
  count: number;
  created_at: number;
  attempts: number;
  first_tried_at: number | null;
}

/**
 * Open messages that may be tried: of the kinds and channels of a Selection, and behind none of their execution to the same
 * channel that has been tried and is not closed.
 */
const ELIGIBLE = "closed_at IS NULL " +
  "AND channel NOT IN (SELECT value FROM json_each(?1)) " +
  "AND (CAST(?2 AS TEXT) IS NULL OR kind IN (SELECT value FROM json_each(?2))) " +
  "AND NOT EXISTS (SELECT 1 FROM outbox earlier WHERE earlier.channel = outbox.channel " +
  "AND earlier.execution_id = outbox.execution_id AND earlier.closed_at IS NULL " +
  "AND earlier.attempts > 0 AND earlier.seq < outbox.seq)";

/** Messages of one database. */
export class SqlOutbox implements MessageStock, OutboxStore {
  readonly #db: Database;
  readonly #ports: SqlOutboxPorts;

  constructor(db: Database, ports: SqlOutboxPorts) {
    this.#db = db;
    this.#ports = ports;
  }

  *tell(event: NotableEvent): Operation<void> {
    const now = this.#ports.now();
    const drafts = this.#draft(event);
    for (const draft of drafts) yield* put(draft, now);
    if (drafts.length > 0) yield* afterwards(this.#ports.stored);
  }

  /** For what is not stored otherwise: what is, stores its message itself. */
  announce(event: NotableEvent): Promise<void> {
    return this.#db.change("process", () => this.tell(event));
  }

  claim(
    { now, ...selection }: MessageFilter & { now: number },
  ): Promise<ClaimedMessage | undefined> {
    return this.#db.change("process", function* () {
      yield* lock("outbox");
      yield* dropAnswered(now);
      for (;;) {
        const row = yield* get<MessageRow>(
          `SELECT * FROM outbox WHERE ${ELIGIBLE} AND due_at <= ?3 ORDER BY seq LIMIT 1`,
          ...toParameters(selection),
          now,
        );
        if (row === undefined) return undefined;
        const attempt = row.attempts + 1;
        const firstTriedAt = row.first_tried_at ?? now;
        const taken = yield* run(
          "UPDATE outbox SET attempts = ?, first_tried_at = ?, due_at = ? WHERE seq = ? AND closed_at IS NULL",
          attempt,
          firstTriedAt,
          now + ATTEMPT_MS,
          row.seq,
        );
        // Where another machine has counted one more meanwhile, it stands in a new row.
        if (taken === 1) return toClaimed(row, { attempt, firstTriedAt });
      }
    });
  }

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

  retryAll(now: number): Promise<void> {
    return this.#db.change("process", function* () {
      yield* run(
        "UPDATE outbox SET due_at = ?1 WHERE closed_at IS NULL AND attempts > 0 AND due_at > ?1",
        now,
      );
    });
  }

  postpone(id: string, dueAt: number): Promise<void> {
    return this.#db.change("process", function* () {
      yield* run("UPDATE outbox SET due_at = ? WHERE id = ? AND closed_at IS NULL", dueAt, id);
    });
  }

  close(
    id: string,
    { outcome, at }: { outcome: "delivered" | "given up"; at: number },
  ): Promise<void> {
    return this.#db.change("process", function* () {
      yield* run(
        "UPDATE outbox SET closed_at = ?, outcome = ? WHERE id = ? AND closed_at IS NULL",
        at,
        outcome,
        id,
      );
    });
  }

  purge(before: number): Promise<void> {
    return this.#db.change("process", function* () {
      yield* run("DELETE FROM outbox WHERE closed_at < ?", before);
    });
  }

  #draft(event: NotableEvent): MessageDraft[] {
    try {
      return this.#ports.draftMessages(event);
    } catch (error) {
      // A bug in a message must not keep an execution from pausing or ending.
      this.#ports.failed(error);
      return [];
    }
  }
}

/** Stores a message, or counts it where one like it waits that nobody has tried to send yet. */
function* put(draft: MessageDraft, now: number): Operation<void> {
  const { channel, kind, agentId } = draft;
  const fold = draft.isFoldable ? JSON.stringify([channel, kind, agentId]) : null;
  // Who tells of the same at this moment, at whichever machine, counts on what this one stores.
  if (fold !== null) yield* lock(`outbox ${fold}`);
  const waiting = fold === null ? undefined : (yield* get<MessageRow & { due_at: number }>(
    "DELETE FROM outbox WHERE fold = ? AND closed_at IS NULL AND attempts = 0 RETURNING *",
    fold,
  ));
  const tried = yield* get<{ at: number | null }>(
    "SELECT max(first_tried_at) AS at FROM outbox WHERE fold = ?",
    fold,
  );
  const dueAt = waiting?.due_at ?? Math.max(now, (tried?.at ?? -Infinity) + FOLD_MS);
  // A new row takes the last place: it is about the newest execution, and comes behind what is told of that.
  yield* run(
    "INSERT INTO outbox (id, channel, kind, agent_id, execution_id, request_id, fold, title, body, count, " +
      "created_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    waiting?.id ?? `msg_${crypto.randomUUID().replaceAll("-", "")}`,
    channel,
    kind,
    agentId,
    draft.executionId,
    draft.requestId,
    fold,
    draft.title,
    draft.text,
    (waiting?.count ?? 0) + 1,
    waiting?.created_at ?? now,
    dueAt,
  );
}

function toClaimed(
  row: MessageRow,
  tries: { attempt: number; firstTriedAt: number },
): ClaimedMessage {
  return {
    id: row.id,
    channel: row.channel,
    kind: row.kind,
    agentId: row.agent_id,
    executionId: row.execution_id,
    requestId: row.request_id,
    title: row.title,
    text: row.body,
    count: row.count,
    createdAt: row.created_at,
    ...tries,
  };
}

/** A question that was answered before it could be told is told no more. */
function* dropAnswered(now: number): Operation<void> {
  yield* run(
    "UPDATE outbox SET closed_at = ?, outcome = 'answered' WHERE closed_at IS NULL " +
      "AND request_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM requests " +
      "WHERE requests.request_id = outbox.request_id AND answered_at IS NULL)",
    now,
  );
}

function toParameters({ except, kinds }: MessageFilter): [string, string | null] {
  return [JSON.stringify(except), kinds === null ? null : JSON.stringify(kinds)];
}
