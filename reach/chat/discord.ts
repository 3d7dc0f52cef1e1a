// The chat app Discord, over its gateway: no public address is needed.
import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RequestData,
  REST,
  type RouteLike,
} from "@discordjs/rest";
import {
  type APIChannel,
  type APIMessage,
  type APIUser,
  type GatewayDispatchPayload,
  InteractionResponseType,
  MessageFlags,
  Routes,
} from "discord-api-types/v10";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import {
  type AppAccount,
  AppFailure,
  type ButtonPress,
  type ChatApp,
  type ChatMessage,
  type Missed,
  type Post,
  type ReceivedFile,
  type SentFile,
} from "./chat_app.ts";
import { readGateway } from "./discord_gateway.ts";
import { newestOf, toIncoming, toMessage, toPayload, toSnowflake } from "./discord_wire.ts";
import { loadFile } from "./load_file.ts";
import { unlessFinal, withPauses } from "./with_pauses.ts";

/** Discord allows 2,000 characters. The rest is for the backslashes before marks. */
const MAX_TEXT = 1_900;
/** The longest wait for the reply to a request, in milliseconds. */
const REQUEST_MS = 60 * SECOND_MS;
/** The age of the oldest message that a chat without any handled message reads after its start. */
const FIRST_MS = 10 * MINUTE_MS;
const PAGE = 100;
/** The host of files that people send. */
const FILES_ORIGIN = "https://cdn.discordapp.com";

/** Discord under the account of the token's bot. Sends nothing before the first call. */
export class Discord implements ChatApp {
  readonly maxText = MAX_TEXT;
  readonly commandMark = "!";
  readonly #account: AppAccount;
  readonly #rest: REST;
  /** The direct conversations by person. */
  readonly #direct = new Map<string, string>();

  constructor(account: AppAccount) {
    this.#account = account;
    this.#rest = new REST({
      api: account.apiRoot,
      retries: 0,
      timeout: REQUEST_MS,
      rejectOnRateLimit: () => true,
      ...{ hashSweepInterval: 0, handlerSweepInterval: 0 },
    });
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#request("get", Routes.user(), signal);
  }

  async receive(
    handle: (one: ChatMessage | ButtonPress) => Promise<void>,
    signal: AbortSignal,
    readMissed: () => Promise<Missed>,
  ): Promise<void> {
    const { id: botId } = await this.#request<APIUser>("get", Routes.user(), signal);
    const start = async () => {
      const missed = await this.#loadMissed(await readMissed(), botId, signal);
      for (const one of missed) await handle(one);
    };
    const toWork = (event: GatewayDispatchPayload) => {
      const one = toIncoming(event, botId);
      if (one === undefined) return undefined;
      // Discord marks a press as failed after three seconds, so the reply to it is not queued.
      const accepted = one.type === "press" ? this.#accept(one, signal) : undefined;
      return async () => {
        await accepted;
        await handle(one);
      };
    };
    const { token } = this.#account;
    await this.#call((rest, s) => readGateway({ rest, token }, { start, toWork }, s), signal);
  }

  async send(place: string, post: Post, signal: AbortSignal): Promise<string> {
    const reply = post.replyTo === undefined || post.isFurther
      ? {}
      : { message_reference: { message_id: post.replyTo, fail_if_not_exists: false } };
    const body = { ...toPayload(post), ...reply };
    const path = Routes.channelMessages(place);
    return (await this.#request<APIMessage>("post", path, signal, { body })).id;
  }

  async edit(place: string, messageId: string, post: Post, signal: AbortSignal): Promise<void> {
    const path = Routes.channelMessage(place, messageId);
    await unlessFinal(this.#request("patch", path, signal, { body: toPayload(post) }));
  }

  async sendFile(
    place: string,
    { name, bytes }: SentFile,
    signal: AbortSignal,
  ): Promise<void> {
    const files = [{ name, data: bytes }];
    await this.#request("post", Routes.channelMessages(place), signal, { files });
  }

  async load(file: ReceivedFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const origins = [FILES_ORIGIN, new URL(this.#account.apiRoot).origin];
    return await loadFile(file, { maxBytes, origins }, signal);
  }

  async showTyping(place: string, signal: AbortSignal): Promise<void> {
    await this.#request("post", Routes.channelTyping(place), signal);
  }

  async acknowledge({ key }: ButtonPress, text: string, signal: AbortSignal): Promise<void> {
    if (text === "") return;
    const [app = "", , token] = key.split("/");
    const { flags, ...payload } = toPayload({ text });
    const body = { ...payload, flags: flags | MessageFlags.Ephemeral };
    await unlessFinal(
      this.#request("post", Routes.webhook(app, token), signal, { body, auth: false }),
    );
    // The package keeps the limits of each press, and would keep them forever.
    this.#rest.handlers.sweep(({ inactive }) => inactive);
  }

  async openDirect(personId: string, signal: AbortSignal): Promise<string> {
    const known = this.#direct.get(personId);
    if (known !== undefined) return known;
    const body = { recipient_id: personId };
    const { id } = await this.#request<APIChannel>("post", Routes.userChannels(), signal, { body });
    this.#direct.set(personId, id);
    return id;
  }

  /** Reports to Discord that a press has arrived. Without this reply, acknowledge() has no effect. */
  async #accept({ key }: ButtonPress, signal: AbortSignal): Promise<void> {
    const [, id = "", token = ""] = key.split("/");
    const body = { type: InteractionResponseType.DeferredMessageUpdate };
    const path = Routes.interactionCallback(id, token);
    await this.#request("post", path, signal, { body, auth: false }).catch(() => {});
  }

  /** Returns the messages that were written while nobody listened, oldest first. Discord does not deliver them later. */
  async #loadMissed(
    { seen, people, groups }: Missed,
    botId: string,
    signal: AbortSignal,
  ): Promise<ChatMessage[]> {
    const found: ChatMessage[] = [];
    const since = newestOf(seen) ?? toSnowflake(this.#account.clock.now() - FIRST_MS);
    const read = async (place: string, isGroup: boolean) => {
      for (let after = since, count = PAGE; count === PAGE;) {
        const query = new URLSearchParams({ after: `${after}`, limit: `${PAGE}` });
        const path = Routes.channelMessages(place);
        const page = await this.#request<APIMessage[]>("get", path, signal, { query });
        for (const one of page) {
          const message = toMessage(one, { botId, isGroup });
          if (message !== undefined) found.push(message);
          if (BigInt(one.id) > after) after = BigInt(one.id);
        }
        count = page.length;
      }
    };
    for (const id of people) {
      await unlessFinal(this.openDirect(id, signal).then((place) => read(place, false)));
    }
    for (const id of groups) await unlessFinal(read(id, true));
    return found.sort((a, b) => a.sentAt - b.sentAt);
  }

  #request<T = unknown>(
    method: "get" | "patch" | "post",
    path: RouteLike,
    signal: AbortSignal,
    options: RequestData = {},
  ): Promise<T> {
    return this.#call(
      (rest, s) => rest[method](path, { ...options, signal: s }) as Promise<T>,
      signal,
    );
  }

  async #call<T>(
    work: (rest: REST, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { token, clock } = this.#account;
    // The package forgets a token that Discord refuses, and never removes its listener from the signal.
    const perform = () => work(this.#rest.setToken(token), AbortSignal.any([signal]));
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
