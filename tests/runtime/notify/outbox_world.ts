// Creates an outbox with a database in memory, a sender, and channels that a test controls.
import { configOf } from "../agents/parsed_file.ts";
import type { NotifySettings } from "../../../runtime/config/notify_schema.ts";
import type { Execution } from "../../../runtime/executions/execution.ts";
import type { HumanRequest } from "../../../runtime/executions/human_request.ts";
import { SqlAnswerLinks } from "../../../runtime/notify/answer_links.ts";
import type { Channel, OutgoingMessage } from "../../../runtime/notify/channels/channel.ts";
import { draftMessages, type NotifyPorts } from "../../../runtime/notify/drafts.ts";
import type { NotableEvent } from "../../../runtime/notify/notable_event.ts";
import { MessageSender } from "../../../runtime/notify/sender.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { SqlOutbox } from "../../../runtime/notify/outbox.ts";
import { openInstance } from "../../../runtime/database/instances.ts";
import type { SqlExecutionStores } from "../../../runtime/storage/executions/execution_stores.ts";
import { createExecutionStores } from "../../../runtime/storage/executions/execution_stores.ts";
import { LogLines } from "../../support/log_lines.ts";
import { settleQuickly, TestClock } from "../../support/test_clock.ts";
import { DeliveryFailure } from "../../../runtime/vocabulary/delivery_failure.ts";

export const CONFIG = `
notify:
  on: [waiting, error, success, budget, missed, loop]
  channels:
    phone: { type: ntfy, topic: a }
`;

/** The outbox of one service. `restart` starts another service with the same database. */
export class OutboxWorld implements AsyncDisposable {
  readonly clock: TestClock;
  readonly db = SqliteDatabase.open(":memory:");
  readonly log = new LogLines();
  readonly redactor = new Redactor(() => [{ name: "TOKEN", value: "s3cr3t-value" }]);
  readonly links: SqlAnswerLinks;
  readonly outbox: SqlOutbox;
  /** The messages that each channel received, in order. */
  readonly sent: (OutgoingMessage & { channel: string; at2: number })[] = [];
  /** The behavior of a channel that gets a message: it may throw or wait. */
  deliver: (message: OutgoingMessage, channel: string) => Promise<void> | void = () => {};
  settings: NotifySettings;
  agents = new Map<string, { displayName: string; notify: { on?: never[]; to?: string[] } }>();
  /** Null: messages have no links, whose digests take real time. */
  publicUrl: string | null = null;
  sender: MessageSender;

  constructor({ config = CONFIG, start }: { config?: string; start?: string } = {}) {
    this.clock = new TestClock(start ?? "2026-01-01T12:00:00.000Z");
    this.clock.settle = settleQuickly;
    this.settings = configOf(config).notify;
    this.db.perform(openInstance({ id: "one", pid: 1, startedAt: 0 }));
    this.links = new SqlAnswerLinks(this.db, { clock: this.clock });
    this.outbox = new SqlOutbox(this.db, {
      draftMessages: (event) =>
        draftMessages(event, { ...this.ports, showTime: (ms) => new Date(ms).toISOString() }),
      now: () => this.clock.now(),
      stored: () => this.sender.wake(),
      failed: (error) => this.log.write("error", String(error)),
    });
    this.sender = this.createSender();
  }

  /** Creates a world whose receiver fails and whose failed execution 1 has a message to send. */
  static failing(deliver: () => never = down): OutboxWorld {
    const world = new OutboxWorld();
    world.deliver = deliver;
    world.tell(failure(1));
    return world;
  }

  get ports(): NotifyPorts {
    const configOfNow = () => (
      { notify: this.settings, people: [], publicUrl: this.publicUrl }
    );
    return {
      settings: {
        get config() {
          return configOfNow();
        },
      },
      registry: this.agents,
      ...{ redactor: this.redactor, clock: this.clock, log: this.log, timeZone: () => "UTC" },
      showTime: (ms) => new Date(ms).toISOString().slice(11, 16),
    };
  }

  get stores(): SqlExecutionStores {
    return createExecutionStores(this.db, "one", { messages: this.outbox });
  }

  /** Ends the service and starts another one. */
  async restart(): Promise<void> {
    await this.sender[Symbol.asyncDispose]();
    this.sender = this.createSender();
    this.outbox.retryAll(this.clock.now());
    this.sender.wake();
  }

  /** Waits until no more work is pending. */
  async settle(): Promise<void> {
    for (let quiet = 0, before = -1; quiet < 5; quiet++) {
      await this.clock.settle();
      if (this.sent.length !== before) quiet = 0;
      before = this.sent.length;
    }
  }

  tell(event: NotableEvent): void {
    void this.outbox.announce(event);
  }

  /** Stores an open question and its message. Returns the question. */
  ask(execution: Execution, changes: Partial<HumanRequest> = {}): HumanRequest {
    const request: HumanRequest = {
      requestId: `q-${execution.id}`,
      executionId: execution.id,
      position: 1,
      kind: "confirm",
      message: "May it?",
      options: null,
      multi: false,
      toolName: "file_write",
      toolArgs: { path: "a.md" },
      createdAt: this.clock.now(),
      expiresAt: null,
      ...changes,
    };
    this.db.run(
      "INSERT INTO executions (id, agent_id, display_name, status, trigger, instance_id, request, model, started_at) " +
        "VALUES (?, 'a', 'a', 'waiting', 'manual', 'one', '{}', '', 0) ON CONFLICT DO NOTHING",
      execution.id,
    );
    this.db.run(
      "INSERT INTO requests (request_id, execution_id, position, kind, body, created_at, expires_at) VALUES (?, ?, 1, 'confirm', '{}', ?, ?)",
      request.requestId,
      execution.id,
      request.createdAt,
      request.expiresAt,
    );
    this.tell({ type: "waiting", execution, request });
    return request;
  }

  answer(requestId: string, response: unknown = { approved: true }): void {
    this.db.run(
      "UPDATE requests SET answered_at = ?, response = ? WHERE request_id = ?",
      this.clock.now(),
      response === null ? null : JSON.stringify(response),
      requestId,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sender[Symbol.asyncDispose]();
    this.db[Symbol.dispose]();
  }

  /** Creates the sender of one service. Another node with the same database has its own sender. */
  createSender(): MessageSender {
    return new MessageSender({
      ...this.ports,
      store: this.outbox,
      links: this.links,
      openChannel: (name) =>
        Promise.resolve(
          Object.hasOwn(this.settings.channels, name) ? this.#channel(name) : undefined,
        ),
    });
  }

  #channel(name: string): Channel {
    return {
      send: async (message, signal) => {
        this.sent.push({ ...message, channel: name, at2: this.clock.now() });
        const { promise, reject } = Promise.withResolvers<never>();
        promise.catch(() => {});
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        await Promise.race([this.deliver(message, name), promise]);
        return "ok";
      },
    };
  }
}

/** Throws the error of an unreachable receiver. */
export function down(): never {
  throw new DeliveryFailure("the receiver is down.");
}

/** Creates a failed execution; `changes` replace its fields. */
export function executionOf(id: number, changes: Partial<Execution> = {}): Execution {
  return {
    id,
    agentId: "daily",
    displayName: "Daily",
    status: "error",
    trigger: "manual",
    parentExecutionId: null,
    sessionId: null,
    startedAt: 0,
    finishedAt: null,
    durationMs: null,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: null,
    costUsd: null,
    toolCalls: 0,
    model: "demo/script",
    args: [],
    error: "It broke",
    ...changes,
  };
}

/** Creates the event of a failed execution; `changes` replace fields of the execution. */
export function failure(id: number, changes: Partial<Execution> = {}): NotableEvent {
  return { type: "ended", execution: executionOf(id, changes), output: null };
}
