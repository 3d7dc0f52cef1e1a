// Sends the messages of the outbox: one at a time through each channel, with growing waits between attempts. Attempts
// continue after a restart.
import { backoffMs } from "../../base/backoff.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { WorkLoop } from "../../base/work_loop.ts";
import { type QuietHours, quietHours } from "../config/notify_schema.ts";
import type { SqlAnswerLinks } from "./answer_links.ts";
import type { Channel, OutgoingMessage } from "./channels/channel.ts";
import type { NotifyPorts } from "./drafts.ts";
import type { ClaimedMessage, MessageFilter, SqlOutbox } from "./outbox.ts";
import { DeliveryFailure } from "../vocabulary/delivery_failure.ts";

/** The shortest and the longest wait between two attempts, in milliseconds. */
const WAITS = { firstMs: 10 * SECOND_MS, longestMs: 30 * MINUTE_MS };
/** The time after the first attempt until the sender gives up, in milliseconds. */
export const RETRY_PERIOD_MS = DAY_MS;
/**
 * The maximum wait until the next check of the outbox, in milliseconds. It limits the delay after the end of quiet hours or
 * a change of the clock.
 */
const LONGEST_SLEEP_MS = MINUTE_MS;
const STORAGE_RETRY_MS = 10 * SECOND_MS;
/** The time for which closed messages are stored, in milliseconds. They are needed to combine similar messages. */
const RETENTION_MS = DAY_MS;

export interface SenderPorts extends NotifyPorts {
  store: SqlOutbox;
  links: Pick<SqlAnswerLinks, "create">;
  /**
   * Opens a channel. Returns undefined for an unknown channel. Rejects with DeliveryFailure if the channel's settings in
   * config.yaml cannot work.
   */
  openChannel: (name: string) => Promise<Channel | undefined>;
}

/** The sender of the outbox's messages. It sets no timer while the outbox is empty. */
export class MessageSender implements AsyncDisposable {
  readonly #ports: SenderPorts;
  readonly #loop: WorkLoop;
  /** The running attempts by channel. A slow receiver delays only the messages of its channel. */
  readonly #attempts = new Map<string, Promise<void>>();
  /** True if a message was open at the last check. */
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

  /** Makes the sender check the outbox. Call it when there may be a message to send. */
  wake(): void {
    this.#loop.wake();
  }

  /** Aborts the running attempts and waits for their end. The next start repeats them. */
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

  /** Starts each due attempt. Returns the wait until the next one in milliseconds, or undefined if no message is open. */
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

  /** Returns the kinds of messages that may be sent at this time. Null: all kinds. */
  #kindsAt(now: number): MessageFilter["kinds"] {
    const quiet = quietHours(this.#ports.settings.config.notify);
    if (quiet === undefined || !isQuiet(now, quiet, this.#ports.timeZone())) return null;
    return quiet.pass;
  }

  /** Attempts to send a message, and stores the result. Never rejects. */
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
      // When the service stops, nothing is stored: the claim has set the time of the next attempt already.
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
    const { links, settings, showTime } = this.#ports;
    const { count, createdAt, requestId, text } = message;
    // Without a base URL, messages contain no links.
    const url = settings.config.publicUrl;
    const link = url === null || requestId === null
      ? null
      : `${url}${await links.create(requestId)}`;
    const folded = count === 1
      ? text
      : `${count} times since ${showTime(createdAt)}. The last time:\n${text}`;
    return { ...message, at: createdAt, text: folded, link };
  }

  /**
   * Runs `store` and logs its error. Never rejects. A message whose result cannot be stored remains due: it may arrive
   * twice, but is not lost.
   */
  async #tryStore(store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (error) {
      this.#ports.log.write("error", "The outcome of a message could not be stored", { error });
    }
  }
}

/**
 * Returns true if messages wait at this time because of quiet hours. `from` is part of them, `to` is not. If `to` is before
 * `from`, they include midnight. The local time of day counts, so that daylight saving time does not shift them.
 */
export function isQuiet(now: number, quiet: QuietHours, machineZone: string): boolean {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(now)
    .toZonedDateTimeISO(quiet.timezone ?? machineZone);
  const time = hour * 60 + minute;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  return from < to ? from <= time && time < to : from <= time || time < to;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
