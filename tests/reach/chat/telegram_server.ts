// A local server that speaks the wire format of Telegram's Bot API, with the people's side of the conversation.
import { AppServer, readBody } from "./apps/app_server.ts";

/** A message that the bot sent, as it is shown now. */
export interface ShownMessage {
  id: number;
  place: number;
  text: string;
  /** The data of the buttons by label. */
  buttons: Record<string, string>;
  replyTo: number | undefined;
  /** The part of the text in a fixed-width font. */
  code: string | undefined;
}

interface Update {
  update_id: number;
  [kind: string]: unknown;
}

const BOT = { id: 999, is_bot: true, first_name: "Inkling", username: "inkling_bot" };
export const TOKEN = "111:telegram-test-token";

/** A running server. */
export class TelegramServer extends AppServer<number, ShownMessage> {
  /** The texts that presses were acknowledged with, by id of the press. */
  readonly acknowledged = new Map<string, string>();
  /** The maximum number of requests for updates that were open at once. */
  mostPolls = 0;
  #polls = 0;
  #updates: Update[] = [];
  #next = 1;
  #confirmed = 0;
  #wake = Promise.withResolvers<void>();
  readonly #over = new AbortController();
  /** True if the bot has confirmed every update. */
  get isRead(): boolean {
    return this.#updates.every(({ update_id: id }) => id < this.#confirmed);
  }

  /** Sends a message of a person to the bot. Returns the message's id. */
  say(from: number, text: string, more: Record<string, unknown> = {}): number {
    const id = this.#next++;
    this.push({
      message: {
        message_id: id,
        from: { id: from, is_bot: false, first_name: `Person ${from}` },
        chat: { id: from, type: "private" },
        date: Math.floor(Date.now() / 1_000),
        text,
        ...more,
      },
    });
    return id;
  }

  /** Presses a button of a message. `data` is what the person's app sends. Returns the id of the press. */
  press(from: number, message: Pick<ShownMessage, "id" | "place">, data: string): string {
    const id = `press-${this.#next++}`;
    this.push({
      callback_query: {
        id,
        from: { id: from, is_bot: false, first_name: `Person ${from}` },
        message: {
          message_id: message.id,
          chat: { id: message.place, type: message.place < 0 ? "group" : "private" },
          date: 1,
        },
        chat_instance: "1",
        data,
      },
    });
    return id;
  }

  push(update: Record<string, unknown>): void {
    this.#updates.push({ update_id: this.#next++, ...update });
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Delivers every update again that the bot has confirmed. */
  repeatAll(): void {
    this.#confirmed = 0;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#wake.resolve();
    await super[Symbol.asyncDispose]();
  }

  protected override async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(`/file/bot${TOKEN}/`)) {
      return new Response(this.uploads.get(pathname.split("/").at(-1) ?? "") ?? "");
    }
    const [, bot, method = ""] = pathname.split("/");
    if (bot !== `bot${TOKEN}`) {
      return refuse(401, { description: "Unauthorized" });
    }
    const body = await readBody(request);
    this.calls.push(method);
    const refusal = this.refusalOf(method);
    if (refusal !== undefined) return refusal;
    if (!await this.isReceived(method)) return refuse(500, {});
    const result = await this.#perform(method, body);
    await this.afterEffect(method);
    return result instanceof Response ? result : Response.json({ ok: true, result });
  }

  async #perform(method: string, body: Record<string, unknown>): Promise<unknown> {
    const place = Number(body["chat_id"]);
    switch (method) {
      case "getMe":
        return BOT;
      case "getUpdates":
        return await this.#poll(Number(body["offset"]));
      case "sendMessage": {
        const id = this.#next++;
        const reply = body["reply_parameters"] as { message_id: number } | undefined;
        this.shown.push({ id, place, replyTo: reply?.message_id, ...toShown(body) });
        return {
          message_id: id,
          chat: { id: place, type: "private" },
          date: 1,
          text: body["text"],
        };
      }
      case "editMessageText": {
        const found = this.shown.find(({ id }) => id === body["message_id"]);
        if (found === undefined) return refuse(400, { description: "message to edit not found" });
        const shown = toShown(body);
        if (JSON.stringify({ ...found, ...shown }) === JSON.stringify(found)) {
          return refuse(400, { description: "message is not modified" });
        }
        Object.assign(found, shown);
        return true;
      }
      case "answerCallbackQuery":
        this.acknowledged.set(String(body["callback_query_id"]), String(body["text"] ?? ""));
        return true;
      case "sendDocument": {
        const [file] = Object.values(body).filter((one) => one instanceof File);
        if (file === undefined) return refuse(400, { description: "no file" });
        this.files.push({ place, name: file.name, text: await file.text() });
        return { message_id: this.#next++, chat: { id: place, type: "private" }, date: 1 };
      }
      case "getFile":
        return {
          file_id: body["file_id"],
          file_path: `documents/${body["file_id"]}`,
          file_size: 5,
        };
      default:
        return true;
    }
  }

  async #poll(offset: number): Promise<Update[]> {
    if (offset > 0) this.#confirmed = offset;
    this.mostPolls = Math.max(this.mostPolls, ++this.#polls);
    try {
      for (;;) {
        const open = this.#updates.filter(({ update_id: id }) => id >= this.#confirmed);
        if (open.length > 0 || this.#over.signal.aborted) return open;
        await this.#wake.promise;
      }
    } finally {
      this.#polls--;
    }
  }
}

function toShown(body: Record<string, unknown>): Pick<ShownMessage, "text" | "buttons" | "code"> {
  const text = String(body["text"]);
  if (text === "" || text.length > 4_096) {
    throw new TypeError(`A text of ${text.length} characters`);
  }
  const markup = body["reply_markup"] as
    | { inline_keyboard: { text: string; callback_data: string }[][] }
    | undefined;
  const [mark] = body["entities"] as { offset: number; length: number }[] ?? [];
  return {
    text,
    buttons: Object.fromEntries(
      (markup?.inline_keyboard ?? []).flat().map((one) => [one.text, one.callback_data]),
    ),
    code: mark && text.slice(mark.offset, mark.offset + mark.length),
  };
}

/** Returns Telegram's refusal of a request. */
export function refuse(status: number, body: Record<string, unknown>): Response {
  return Response.json({ ok: false, error_code: status, ...body }, { status });
}
