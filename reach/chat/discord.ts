// The chat app Discord, over its gateway: no public address is needed.
import { DiscordAPIError, HTTPError, RateLimitError, REST } from "@discordjs/rest";
import {
  type APIChannel,
  type APIMessage,
  type APIUser,
  GatewayDispatchEvents,
  InteractionResponseType,
  MessageFlags,
  Routes,
} from "discord-api-types/v10";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import {
  AppFailure,
  type ButtonPress,
  type ChatApp,
  type ChatMessage,
  type Missed,
  type Post,
  type ReceivedFile,
} from "./chat_app.ts";
import { readGateway } from "./discord_gateway.ts";
import { toMessage, toPayload, toPress, toSnowflake } from "./discord_wire.ts";
import { loadFile } from "./load_file.ts";
import { unlessFinal, withPauses } from "./with_pauses.ts";

/** Discord allows 2,000 characters. The rest is for the backslashes before marks. */
const MAX_TEXT = 1_900;
/** The longest wait for the reply to a request, in milliseconds. */
const REQUEST_MS = 60 * SECOND_MS;
/** The age of the oldest message that a chat without any handled message reads after its start. */
const FIRST_MS = 10 * MINUTE_MS;
/** Discord's ids follow the time, but messages of several places can arrive in another order. */
const OVERLAP = 10_000n << 22n;
const PAGE = 100;
/** The host of files that people send. */
const FILES_ORIGIN = "https://cdn.discordapp.com";

interface DiscordPorts {
  token: string;
  apiRoot: string;
  clock: Clock;
}

type Handle = (one: ChatMessage | ButtonPress) => Promise<void>;

/** Opens Discord under the account of the token's bot. Sends nothing before the first call. */
export function openDiscord(ports: DiscordPorts): ChatApp {
  return new Discord(ports);
}

class Discord implements ChatApp {
  readonly maxText = MAX_TEXT;
  readonly commandMark = "!";
  readonly #ports: DiscordPorts;
  readonly #rest: REST;
  /** The direct conversations by person. */
  readonly #direct = new Map<string, string>();

  constructor(ports: DiscordPorts) {
    this.#ports = ports;
    this.#rest = new REST({
      api: ports.apiRoot,
      retries: 0,
      timeout: REQUEST_MS,
      rejectOnRateLimit: () => true,
      ...{ hashSweepInterval: 0, handlerSweepInterval: 0 },
    });
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#call((rest, s) => rest.get(Routes.user(), { signal: s }), signal);
  }

  async receive(
    handle: Handle,
    signal: AbortSignal,
    readMissed: () => Promise<Missed>,
  ): Promise<void> {
    const { id: botId } = await this.#call<APIUser>(
      (rest, s) => rest.get(Routes.user(), { signal: s }),
      signal,
    );
    const start = async () => {
      for (const one of await this.#loadMissed(await readMissed(), botId, signal)) {
        await handle(one);
      }
    };
    const { token } = this.#ports;
    await this.#call((rest, s) =>
      readGateway({ rest, token }, {
        start,
        handle: ({ t: type, d: event }) => {
          if (type === GatewayDispatchEvents.MessageCreate) {
            const isGroup = event.guild_id !== undefined;
            const message = toMessage(event, { botId, isGroup });
            return message && (() => handle(message));
          }
          const press = type === GatewayDispatchEvents.InteractionCreate
            ? toPress(event)
            : undefined;
          if (press === undefined) return undefined;
          const { id } = event as { id: string };
          // Discord marks a press as failed after three seconds, so this is not queued.
          const path = Routes.interactionCallback(id, press.key.slice(press.key.indexOf("/") + 1));
          const body = { type: InteractionResponseType.DeferredMessageUpdate };
          const accepted = this.#call(
            (rest, s) => rest.post(path, { body, auth: false, signal: s }),
            signal,
          ).catch(() => {});
          return async () => {
            await accepted;
            await handle(press);
          };
        },
      }, s), signal);
  }

  async send(place: string, post: Post, signal: AbortSignal): Promise<string> {
    const reply = post.replyTo === undefined
      ? {}
      : { message_reference: { message_id: post.replyTo, fail_if_not_exists: false } };
    const body = { ...toPayload(post), ...reply };
    const { id } = await this.#call<APIMessage>(
      (rest, s) => rest.post(Routes.channelMessages(place), { body, signal: s }),
      signal,
    );
    return id;
  }

  async edit(place: string, messageId: string, post: Post, signal: AbortSignal): Promise<void> {
    const body = toPayload(post);
    await unlessFinal(this.#call(
      (rest, s) => rest.patch(Routes.channelMessage(place, messageId), { body, signal: s }),
      signal,
    ));
  }

  async sendFile(
    place: string,
    { name, bytes }: { name: string; bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<void> {
    const files = [{ name, data: bytes }];
    await this.#call(
      (rest, s) => rest.post(Routes.channelMessages(place), { files, signal: s }),
      signal,
    );
  }

  async load(file: ReceivedFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const origins = [FILES_ORIGIN, new URL(this.#ports.apiRoot).origin];
    return await loadFile(file, { maxBytes, origins }, signal);
  }

  async showTyping(place: string, signal: AbortSignal): Promise<void> {
    await this.#call((rest, s) => rest.post(Routes.channelTyping(place), { signal: s }), signal);
  }

  async acknowledge({ key }: ButtonPress, text: string, signal: AbortSignal): Promise<void> {
    if (text === "") return;
    const { flags, ...payload } = toPayload({ text });
    const body = { ...payload, flags: flags | MessageFlags.Ephemeral };
    await unlessFinal(this.#call(
      (rest, s) => rest.post(`/webhooks/${key}`, { body, auth: false, signal: s }),
      signal,
    ));
    // The package keeps the limits of each press, and would keep them forever.
    this.#rest.handlers.sweep(({ inactive }) => inactive);
  }

  async openDirect(personId: string, signal: AbortSignal): Promise<string> {
    const known = this.#direct.get(personId);
    if (known !== undefined) return known;
    const body = { recipient_id: personId };
    const { id } = await this.#call<APIChannel>(
      (rest, s) => rest.post(Routes.userChannels(), { body, signal: s }),
      signal,
    );
    this.#direct.set(personId, id);
    return id;
  }

  /** Returns the messages that were written while nobody listened, oldest first. Discord delivers them to nobody else. */
  async #loadMissed(
    { seen, people, groups }: Missed,
    botId: string,
    signal: AbortSignal,
  ): Promise<ChatMessage[]> {
    const newest = seen.filter((key) => /^\d{15,20}$/.test(key)).map((key) => BigInt(key) - OVERLAP)
      .reduce((a, b) => a > b ? a : b, 0n);
    const since = newest || toSnowflake(this.#ports.clock.now() - FIRST_MS);
    const found: ChatMessage[] = [];
    const read = async (place: string, isGroup: boolean) => {
      for (let after = since;;) {
        const query = new URLSearchParams({ after: `${after}`, limit: `${PAGE}` });
        const page = await this.#call<APIMessage[]>(
          (rest, s) => rest.get(Routes.channelMessages(place), { query, signal: s }),
          signal,
        );
        for (const one of page) {
          const message = toMessage(one, { botId, isGroup });
          if (message !== undefined) found.push(message);
          if (BigInt(one.id) > after) after = BigInt(one.id);
        }
        if (page.length < PAGE) return;
      }
    };
    for (const id of people) {
      await unlessFinal(this.openDirect(id, signal).then((place) => read(place, false)));
    }
    for (const id of groups) await unlessFinal(read(id, true));
    return found.sort((a, b) => BigInt(a.key) < BigInt(b.key) ? -1 : 1);
  }

  async #call<T>(
    request: (rest: REST, signal: AbortSignal) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<T> {
    const { token, clock } = this.#ports;
    const perform = () => {
      // The package forgets a token that Discord refuses, and never removes its listener from the signal.
      return request(this.#rest.setToken(token), AbortSignal.any([signal])) as Promise<T>;
    };
    return await withPauses(perform, { toFailure, clock, signal });
  }
}

/** Returns the failure of a request. Its address can contain the secret of a press, so it is not shown. */
function toFailure(error: unknown): AppFailure {
  if (error instanceof AppFailure) return error;
  if (error instanceof RateLimitError) {
    return new AppFailure("Discord asks for a pause", { retryAfterMs: error.retryAfter });
  }
  if (error instanceof DiscordAPIError) {
    const { status, code, message } = error;
    const reason = /^[\x20-\x7e]{1,100}$/.test(message) ? `: ${message}` : "";
    return new AppFailure(`Discord refused a request with ${code}${reason}`, {
      isFinal: status >= 400 && status < 500 && status !== 401 && status !== 408,
    });
  }
  if (error instanceof HTTPError) {
    return new AppFailure(`Discord refused a request with status ${error.status}`);
  }
  return new AppFailure("Discord cannot be reached");
}
