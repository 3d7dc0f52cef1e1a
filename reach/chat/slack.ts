// The chat app Slack, over Socket Mode: no public address is needed.
import { WebClient, type WebClientOptions } from "@slack/web-api";
import { withinTime } from "../../base/bounded_wait.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import {
  type AppAccount,
  AppFailure,
  type ButtonPress,
  type ChatApp,
  type ChatMessage,
  type Post,
  type ReceivedFile,
  type Sender,
  type SentFile,
} from "./chat_app.ts";
import { loadFile } from "./load_file.ts";
import { readSocket, SILENT } from "./slack_socket.ts";
import { toFailure, toPayload } from "./slack_wire.ts";
import { unlessFinal, withPauses } from "./with_pauses.ts";

/** Slack allows more, but shows a longer message only after a click. */
const MAX_TEXT = 3_000;
/** The pause before the socket is opened again. Slack closes each socket after some hours. */
const REOPEN_MS = SECOND_MS;
/** The longest wait for the reply to a request, in milliseconds. */
const REQUEST_MS = 60 * SECOND_MS;
/** The host of files that people send. */
const FILES_ORIGIN = "https://files.slack.com";

/** The tokens of a Slack app: of the bot, `xoxb-…`, and for the socket, `xapp-…`. */
type SlackAccount = AppAccount & { appToken: string };

/** Slack under the account of the tokens' app. Sends nothing before the first call. */
export class Slack implements ChatApp {
  readonly maxText = MAX_TEXT;
  readonly commandMark = "!";
  readonly #account: SlackAccount;

  constructor(account: SlackAccount) {
    this.#account = account;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#call((client) => client.auth.test(), signal);
    const { appToken, clock } = this.#account;
    const open = () => new WebClient(appToken, this.#optionsFor(signal)).apps.connections.open();
    await withPauses(open, { toFailure, clock, signal });
  }

  async receive(
    handle: (one: ChatMessage | ButtonPress) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { appToken, clock } = this.#account;
    const { user_id: botId = "" } = await this.#call((client) => client.auth.test(), signal);
    while (!signal.aborted) {
      const options = { appToken, clientOptions: this.#optionsFor(signal) };
      await readSocket(options, { handle, botId }, signal);
      await clock.sleep(REOPEN_MS, signal);
    }
  }

  async send(place: string, post: Post, signal: AbortSignal): Promise<string> {
    const thread = post.replyTo === undefined ? {} : { thread_ts: post.replyTo };
    const { ts = "" } = await this.#call(
      (client) => client.chat.postMessage({ channel: place, ...toPayload(post), ...thread }),
      signal,
    );
    return ts;
  }

  async edit(place: string, messageId: string, post: Post, signal: AbortSignal): Promise<void> {
    const { text, blocks } = toPayload(post);
    await unlessFinal(this.#call(
      (client) => client.chat.update({ channel: place, ts: messageId, text, blocks }),
      signal,
    ));
  }

  async sendFile(
    place: string,
    { name, bytes, replyTo }: SentFile,
    signal: AbortSignal,
  ): Promise<void> {
    const file = { filename: name, file: Buffer.from(bytes) };
    await this.#call(
      (client) =>
        client.files.uploadV2(
          replyTo === undefined
            ? { channel_id: place, ...file }
            : { channel_id: place, thread_ts: replyTo, ...file },
        ),
      signal,
    );
  }

  async load(file: ReceivedFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { apiRoot, token } = this.#account;
    const origins = [FILES_ORIGIN, new URL(apiRoot).origin];
    const headers = { authorization: `Bearer ${token}` };
    return await loadFile(file, { maxBytes, origins, headers }, signal);
  }

  async acknowledge(
    { place, sender }: ButtonPress,
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (text === "") return;
    const message = { channel: place, user: sender.id, ...toPayload({ text }) };
    await unlessFinal(this.#call((client) => client.chat.postEphemeral(message), signal));
  }

  async readName({ id }: Sender, signal: AbortSignal): Promise<string> {
    const { user } = await this.#call((client) => client.users.info({ user: id }), signal);
    const { real_name: name, name: handle } = user ?? {};
    return name === undefined ? handle ?? id : `${name} (@${handle})`;
  }

  async openDirect(personId: string, signal: AbortSignal): Promise<string> {
    const { channel } = await this.#call(
      (client) => client.conversations.open({ users: personId }),
      signal,
    );
    return channel?.id ?? personId;
  }

  async #call<T>(request: (client: WebClient) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { token, clock } = this.#account;
    const perform = () => request(new WebClient(token, this.#optionsFor(signal)));
    return await withPauses(perform, { toFailure, clock, signal });
  }

  /** Returns the options of requests. A client of the package has no signal, so each signal has a client of its own. */
  #optionsFor(signal: AbortSignal): WebClientOptions {
    const { apiRoot, clock } = this.#account;
    return {
      slackApiUrl: `${apiRoot}/api/`,
      fetch: (url, init) =>
        withinTime(
          { clock, ms: REQUEST_MS, reason: new AppFailure("Slack does not respond"), signal },
          async (limited) => {
            const response = await fetch(url, { ...init, signal: limited });
            // The package leaves the body of this refusal open.
            if (response.status === 429) await response.body?.cancel();
            return response;
          },
        ),
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: SILENT,
    };
  }
}
