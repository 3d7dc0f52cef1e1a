// Sends the messages of the outbox: one at a time through each channel, with growing waits between attempts, also across
// restarts.
import { backoffMs } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { WorkLoop } from "../../base/work_loop.ts";
import { type NotifySettings, quietHours } from "../config/notify_schema.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { AnswerLinks } from "./answer_links.ts";
import { type Channel, DeliveryFailure, type OutgoingMessage } from "./channels/channel.ts";
import type { ClaimedMessage, MessageFilter, SqlOutbox } from "./outbox.ts";
import { isQuiet } from "./quiet_hours.ts";

/** The waits between attempts. */
const WAITS = { firstMs: 10 * SECOND_MS, longestMs: 30 * MINUTE_MS };
/** The time until delivery is given up. */
export const RETRY_PERIOD_MS = DAY_MS;
/** The most time until the sender notices the end of quiet hours or a clock change. */
const LONGEST_SLEEP_MS = MINUTE_MS;
const STORAGE_RETRY_MS = 10 * SECOND_MS;
/** The time that sent messages are kept: folding reads them. */
const RETENTION_MS = DAY_MS;

export interface SenderPorts {
  store: SqlOutbox;
  links: Pick<AnswerLinks, "create">;
  settings: () => NotifySettings;
  /** The base of the answer links; null: messages have no links. */
  publicUrl: () => string | null;
  /**
   * Resolves with undefined for an unknown channel. Rejects with DeliveryFailure if config.yaml's channel cannot work.
   */
  openChannel: (name: string) => Promise<Channel | undefined>;
  /** Formats an instant for people. */
  showTime: (ms: number) => string;
  /** The machine's time zone. */
  timeZone: () => string;
  clock: Clock;
  log: ServiceLog;
}

/** Sends messages. Holds no timer while the outbox is empty. */
export class MessageSender implements AsyncDisposable {
  readonly #ports: SenderPorts;
  readonly #loop: WorkLoop;
  /** Attempts in progress, by channel: a slow receiver delays only its own messages. */
  readonly #attempts = new Map<string, Promise<void>>();
  /** True while a message is open. */
  #isOpen = false;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#work(),
      failed: (error) =>
        ports.log.write("error", "Due messages could not be read; retrying soon", { error }),
      retry: { firstMs: STORAGE_RETRY_MS, longestMs: STORAGE_RETRY_MS },
    });
  }

  /** Reports that there may be a message to send. */
  wake(): void {
    this.#loop.wake();
  }

  /** Aborts the attempts in progress and waits for them. They are repeated at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await Promise.all(this.#attempts.values());
  }

  async #work(): Promise<number | undefined> {
    const { clock, store } = this.#ports;
    if (!this.#isOpen) await this.#tryStore(() => store.purge(clock.now() - RETENTION_MS));
    const ms = await this.#sendDue();
    this.#isOpen = ms !== undefined;
    return ms === undefined ? undefined : Math.min(ms, LONGEST_SLEEP_MS);
  }

  /** Starts every due attempt; returns the wait until the next one, or undefined if no message is open. */
  async #sendDue(): Promise<number | undefined> {
    const { clock, store } = this.#ports;
    const now = clock.now();
    const selection = (): MessageFilter => ({
      except: [...this.#attempts.keys()],
      kinds: this.#kindsAt(now),
    });
    while (!this.#loop.signal.aborted) {
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
  #kindsAt(now: number): MessageFilter["kinds"] {
    const quiet = quietHours(this.#ports.settings());
    if (quiet === undefined || !isQuiet(now, quiet, this.#ports.timeZone())) return null;
    return quiet.pass;
  }

  /** Makes one attempt. Never rejects. */
  async #attempt(message: ClaimedMessage): Promise<void> {
    const { openChannel, clock, log, store } = this.#ports;
    const { id, channel: name, agentId, attempt } = message;
    const fields = { message: id, channel: name, agent: agentId ?? undefined };
    try {
      const channel = await openChannel(name);
      if (channel === undefined) {
        throw new DeliveryFailure("config.yaml no longer has this channel.", {
          isFinal: true,
        });
      }
      const reply = await channel.send(await this.#toOutgoing(message), this.#loop.signal);
      await this.#tryStore(() => store.close(id, { outcome: "delivered", at: clock.now() }));
      const text = attempt > 1
        ? "A message was delivered after a retry"
        : "A message was delivered";
      log.write(attempt > 1 ? "info" : "debug", text, { ...fields, reply });
    } catch (error) {
      // Nothing is stored at a stop: the claim has already set the time of the next attempt.
      if (this.#loop.signal.aborted) return;
      if (error instanceof DeliveryFailure) {
        return await this.#handleFailure(message, error, fields);
      }
      log.write("error", "A message could not be sent", { ...fields, error });
      const dueAt = clock.now() + backoffMs(attempt, WAITS);
      await this.#tryStore(() => store.postpone(id, dueAt));
    }
  }

  async #handleFailure(
    { id, attempt, firstTriedAt }: ClaimedMessage,
    { message: reason, isFinal, retryAfterMs }: DeliveryFailure,
    fields: Record<string, unknown>,
  ): Promise<void> {
    const { clock, log, store } = this.#ports;
    const now = clock.now();
    const end = firstTriedAt + RETRY_PERIOD_MS;
    if (isFinal || now >= end) {
      const why = isFinal ? "a retry cannot succeed" : "it failed for 24 hours";
      log.write("error", `A message was not delivered: ${why}`, { ...fields, reason });
      await this.#tryStore(() => store.close(id, { outcome: "given up", at: now }));
      return;
    }
    if (attempt === 1) {
      const text = "A message could not be delivered; retrying for 24 hours";
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

  /** Never rejects. A message whose outcome cannot be stored stays due: it may arrive twice, but is not lost. */
  async #tryStore(store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (error) {
      this.#ports.log.write("error", "The outcome of a message could not be stored", { error });
    }
  }
}
