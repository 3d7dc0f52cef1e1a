// Sends what the outbox holds: one message at a time through each channel, tried again with growing waits, over restarts.
import { backoffMs } from "../../base/backoff.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { type NotifySettings, quietHours } from "../config/notify_schema.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { AnswerLinks } from "./answer_links.ts";
import { type Channel, DeliveryFailure, type OutgoingMessage } from "./channels/channel.ts";
import type { ClaimedMessage, OutboxStore, Selection } from "./outbox.ts";
import { isQuiet } from "./quiet_hours.ts";

/** The waits between attempts. */
const WAITS = { firstMs: 10 * SECOND_MS, longestMs: 30 * MINUTE_MS };
/** How long a message is tried. */
export const TRIED_MS = DAY_MS;
/** Quiet hours end, and clocks are set: that is noticed by then. */
const LONGEST_SLEEP_MS = MINUTE_MS;
const STORAGE_RETRY_MS = 10 * SECOND_MS;
/** So long what was sent is remembered: folding asks for it. */
const KEPT_MS = DAY_MS;

/** What sending needs. */
export interface SenderPorts {
  store: OutboxStore;
  links: Pick<AnswerLinks, "create">;
  settings: () => NotifySettings;
  /** Where the answer links lead; null: messages have none. */
  publicUrl: () => string | null;
  /** Rejects with DeliveryFailure where a channel of config.yaml cannot work; undefined: it has none of this name. */
  openChannel: (name: string) => Promise<Channel | undefined>;
  /** An instant as people read it. */
  showTime: (ms: number) => string;
  /** The machine's. */
  timeZone: () => string;
  clock: Clock;
  log: ServiceLog;
}

/** The one that sends. It rests, without a timer, while nothing is to be sent. */
export class MessageSender implements AsyncDisposable {
  readonly #ports: SenderPorts;
  readonly #over = new AbortController();
  /** Attempts under way, by channel: a slow receiver holds up its own messages only. */
  readonly #attempts = new Map<string, Promise<void>>();
  #waking = new AbortController();
  #isAsked = false;
  #running: Promise<void> | undefined;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#over.signal.aborted) return;
    this.#isAsked = true;
    this.#waking.abort();
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Begins no attempt any more, breaks off those under way, and waits for them. They are made again at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#waking.abort();
    await this.#running;
    await Promise.all(this.#attempts.values());
  }

  async #run(): Promise<void> {
    const { clock, log, store } = this.#ports;
    await this.#tryStore(() => store.purge(clock.now() - KEPT_MS));
    while (!this.#over.signal.aborted) {
      this.#isAsked = false;
      this.#waking = new AbortController();
      const { signal } = this.#waking;
      let waitMs: number | undefined;
      try {
        waitMs = await this.#sendDue();
      } catch (error) {
        log.write("error", "Messages could not be looked for; tried again soon", { error });
        waitMs = STORAGE_RETRY_MS;
      }
      if (waitMs === undefined && !this.#isAsked) break;
      await sleepUnlessAborted(
        clock,
        Math.max(0, Math.min(waitMs ?? 0, LONGEST_SLEEP_MS)),
        AbortSignal.any([this.#over.signal, signal]),
      );
    }
    this.#running = undefined;
  }

  /** Begins every attempt that is due; returns how long to wait for the next one, undefined where none is open. */
  async #sendDue(): Promise<number | undefined> {
    const { clock, store } = this.#ports;
    const now = clock.now();
    const selection = (): Selection => ({
      except: [...this.#attempts.keys()],
      kinds: this.#kindsAt(now),
    });
    while (!this.#over.signal.aborted) {
      const message = await store.claim({ ...selection(), now });
      if (message === undefined) break;
      const { channel } = message;
      this.#attempts.set(
        channel,
        this.#attempt(message).finally(() => {
          this.#attempts.delete(channel);
          this.wake();
        }),
      );
    }
    const next = await store.readNextDue(selection());
    if (next !== undefined) return next - now;
    return await store.countOpen() > 0 || this.#attempts.size > 0 ? LONGEST_SLEEP_MS : undefined;
  }

  /** The kinds that may be sent now; null: all. */
  #kindsAt(now: number): Selection["kinds"] {
    const quiet = quietHours(this.#ports.settings());
    if (quiet === undefined || !isQuiet(now, quiet, this.#ports.timeZone())) return null;
    return quiet.pass;
  }

  /** One attempt. Never rejects. */
  async #attempt(message: ClaimedMessage): Promise<void> {
    const { openChannel, clock, log, store } = this.#ports;
    const { id, channel: name, agentId, attempt } = message;
    const fields = { message: id, channel: name, agent: agentId ?? undefined };
    try {
      const channel = await openChannel(name);
      if (channel === undefined) {
        throw new DeliveryFailure("config.yaml has no channel of this name any more.", {
          isFinal: true,
        });
      }
      const reply = await channel.send(await this.#toOutgoing(message), this.#over.signal);
      await this.#tryStore(() => store.close(id, { outcome: "delivered", at: clock.now() }));
      const text = attempt > 1 ? "A message was delivered after all" : "A message was delivered";
      log.write(attempt > 1 ? "info" : "debug", text, { ...fields, reply });
    } catch (error) {
      // It was claimed, so it comes up again by itself.
      if (this.#over.signal.aborted) return;
      if (error instanceof DeliveryFailure) return await this.#failed(message, error, fields);
      log.write("error", "A message could not be sent", { ...fields, error });
      const dueAt = clock.now() + backoffMs(attempt, WAITS);
      await this.#tryStore(() => store.postpone(id, dueAt));
    }
  }

  async #failed(
    { id, attempt, firstTriedAt }: ClaimedMessage,
    { message: reason, isFinal, retryAfterMs }: DeliveryFailure,
    fields: Record<string, unknown>,
  ): Promise<void> {
    const { clock, log, store } = this.#ports;
    const now = clock.now();
    const end = firstTriedAt + TRIED_MS;
    if (isFinal || now >= end) {
      const why = isFinal ? "it is not tried again" : "it was tried for 24 hours";
      log.write("error", `A message was given up: ${why}`, { ...fields, reason });
      await this.#tryStore(() => store.close(id, { outcome: "given up", at: now }));
      return;
    }
    if (attempt === 1) {
      const text = "A message could not be delivered; it is tried again for 24 hours";
      log.write("warn", text, { ...fields, reason });
    }
    const dueAt = now + Math.max(backoffMs(attempt, WAITS), retryAfterMs);
    await this.#tryStore(() => store.postpone(id, Math.min(dueAt, end)));
  }

  async #toOutgoing(message: ClaimedMessage): Promise<OutgoingMessage> {
    const { links, publicUrl, showTime } = this.#ports;
    const { count, createdAt, requestId, text } = message;
    const url = publicUrl();
    const link = url === null || requestId === null
      ? null
      : `${url}${await links.create(requestId)}`;
    const folded = count === 1
      ? text
      : `${count} times since ${showTime(createdAt)}. The last time:\n${text}`;
    return { ...message, at: createdAt, text: folded, link };
  }

  /** What cannot be stored stays due: the message may arrive twice, and is not lost. */
  async #tryStore(store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (error) {
      this.#ports.log.write("error", "What became of a message could not be stored", { error });
    }
  }
}
