// The chat app Telegram, over the Bot API with long polling: no public address is needed.
import { Api, GrammyError, InputFile } from "grammy/web";
import type { Message, Update, User } from "grammy/types";
import type { Clock } from "../../base/clock.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import {
  type AppAccount,
  AppFailure,
  type ButtonPress,
  type ChatApp,
  type ChatMessage,
  type Post,
  type ReceivedFile,
  type SentFile,
} from "./chat_app.ts";
import { COMMANDS } from "./conversations.ts";
import { loadFile } from "./load_file.ts";
import { unlessFinal, withPauses } from "./with_pauses.ts";

/** The seconds that one request for messages stays open. */
const POLL_SECONDS = 25;
/** Telegram allows 4,096 characters after the texts are joined. */
const MAX_TEXT = 4_000;

/** The signal that the package's types name. */
type ApiSignal = Parameters<Api["getMe"]>[0];

/** Telegram under the account of the token's bot. Sends nothing before the first call. */
export class Telegram implements ChatApp {
  readonly maxText = MAX_TEXT;
  readonly commandMark = "/";
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #fileRoot: string;

  constructor({ token, apiRoot, clock }: AppAccount) {
    this.#api = new Api(token, { apiRoot, timeoutSeconds: 60 });
    this.#clock = clock;
    this.#fileRoot = `${apiRoot}/file/bot${token}`;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#call((s) => this.#api.getMe(s), signal);
  }

  async receive(
    handle: (one: ChatMessage | ButtonPress) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const me = await this.#call((s) => this.#api.getMe(s), signal);
    const commands = Object.entries(COMMANDS).map(([command, { help }]) => ({
      command,
      description: help,
    }));
    await this.#call((s) => this.#api.setMyCommands(commands, undefined, s), signal);
    for (let offset = 0; !signal.aborted;) {
      const updates = await this.#call((s) =>
        this.#api.getUpdates({
          offset,
          timeout: POLL_SECONDS,
          allowed_updates: ["message", "callback_query"],
        }, s), signal);
      for (const update of updates) {
        const incoming = toIncoming(update, me);
        if (incoming !== undefined) await handle(incoming);
        // The next request confirms this update. Telegram repeats an update that is not confirmed.
        offset = update.update_id + 1;
      }
    }
  }

  async send(place: string, post: Post, signal: AbortSignal): Promise<string> {
    const { text, ...rest } = toPayload(post);
    const reply = post.replyTo === undefined || post.isFurther ? {} : {
      reply_parameters: { message_id: Number(post.replyTo), allow_sending_without_reply: true },
    };
    const sent = await this.#call(
      (s) => this.#api.sendMessage(place, text, { ...rest, ...reply }, s),
      signal,
    );
    return String(sent.message_id);
  }

  async edit(place: string, messageId: string, post: Post, signal: AbortSignal): Promise<void> {
    const { text, ...rest } = toPayload(post);
    await unlessFinal(this.#call(
      (s) => this.#api.editMessageText(place, Number(messageId), text, rest, s),
      signal,
    ));
  }

  async sendFile(
    place: string,
    { name, bytes }: SentFile,
    signal: AbortSignal,
  ): Promise<void> {
    const file = new InputFile(bytes, name);
    await this.#call((s) => this.#api.sendDocument(place, file, {}, s), signal);
  }

  async load(
    { ref, name }: ReceivedFile,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { file_path: path, file_size: size = 0 } = await this.#call(
      (s) => this.#api.getFile(ref, s),
      signal,
    );
    if (path === undefined || size > maxBytes) {
      throw new AppFailure(`${name} is too large`, { isFinal: true });
    }
    const file = { name, ref: `${this.#fileRoot}/${path}` };
    return await loadFile(file, { maxBytes, origins: [new URL(this.#fileRoot).origin] }, signal);
  }

  async showTyping(place: string, signal: AbortSignal): Promise<void> {
    await this.#call((s) => this.#api.sendChatAction(place, "typing", {}, s), signal);
  }

  async acknowledge({ key }: ButtonPress, text: string, signal: AbortSignal): Promise<void> {
    // Telegram accepts the text only for some minutes after the press.
    await unlessFinal(
      this.#call((s) => this.#api.answerCallbackQuery(key, { text }, s), signal),
    );
  }

  /** Performs a request, and repeats it after the pauses that Telegram asks for. */
  async #call<T>(request: (signal: ApiSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    // The package's type of signals is of another package, with the same members.
    const perform = () => request(signal as ApiSignal);
    return await withPauses(perform, { toFailure, clock: this.#clock, signal });
  }
}

/** Returns the failure of a request. Errors of the network contain the address with the token, so they are not shown. */
function toFailure(error: unknown): AppFailure {
  if (!(error instanceof GrammyError)) return new AppFailure("Telegram cannot be reached");
  const { error_code: code, description, parameters } = error;
  return new AppFailure(`Telegram refused ${error.method}: ${description}`, {
    isFinal: code >= 400 && code < 500 && code !== 401 && code !== 409 && code !== 429,
    retryAfterMs: (parameters.retry_after ?? 0) * SECOND_MS,
  });
}

/** Returns the text and options of a message. `code` is marked by its position, so that no text can be markup. */
function toPayload({ text, code, buttons = [] }: Post) {
  const before = code === undefined ? text : `${text}\n`;
  return {
    text: before + (code ?? ""),
    entities: code === undefined
      ? []
      : [{ type: "pre" as const, offset: before.length, length: code.length }],
    link_preview_options: { is_disabled: true },
    reply_markup: {
      inline_keyboard: buttons.map((row) =>
        row.map(({ label, data }) => ({ text: label, callback_data: data }))
      ),
    },
  };
}

/** Returns the message or press of an update. Undefined for an update of another kind, or from another bot. */
function toIncoming(
  { update_id: id, message, callback_query: press }: Update,
  me: User,
): ChatMessage | ButtonPress | undefined {
  if (press?.message !== undefined && press.data !== undefined) {
    const { chat, message_id: messageId } = press.message;
    return {
      type: "press",
      key: press.id,
      ...toPlace(chat),
      sender: toSender(press.from),
      messageId: String(messageId),
      data: press.data,
    };
  }
  if (message?.from === undefined || message.from.is_bot) return undefined;
  const { text = message.caption ?? "", reply_to_message: reply, chat } = message;
  const mention = new RegExp(`@${me.username}\\b`, "i");
  const place = toPlace(chat);
  return {
    type: "message",
    key: String(id),
    ...place,
    sender: toSender(message.from),
    messageId: String(message.message_id),
    text: text.replace(mention, "").trim(),
    sentAt: message.date * SECOND_MS,
    replyTo: reply === undefined ? null : String(reply.message_id),
    isForwarded: message.forward_origin !== undefined || message.via_bot !== undefined,
    isAddressed: !place.isGroup || reply?.from?.id === me.id || mention.test(text) ||
      /^\/\w+(\s|$)/.test(text),
    files: toFiles(message),
  };
}

function toPlace({ id, type }: { id: number; type: string }): { place: string; isGroup: boolean } {
  return { place: String(id), isGroup: type !== "private" };
}

function toSender({ id, first_name: name, username }: User): ChatMessage["sender"] {
  return { id: String(id), name: username === undefined ? name : `${name} (@${username})` };
}

function toFiles(message: Message): ReceivedFile[] {
  const { document, voice, audio, video, photo } = message;
  const largest = photo?.at(-1);
  return [
    ...[document, audio, video].flatMap((file) =>
      file === undefined ? [] : [{ ref: file.file_id, name: file.file_name ?? "file" }]
    ),
    ...(voice === undefined ? [] : [{ ref: voice.file_id, name: "voice.ogg" }]),
    ...(largest === undefined ? [] : [{ ref: largest.file_id, name: "photo.jpg" }]),
  ];
}
