// A local server that speaks the wire formats of Slack's Web API and Socket Mode, with the people's side of the conversation.
import { AppServer } from "../apps/app_server.ts";
import { until } from "../../../support/until.ts";

/** The ids of people and channels. The owner may do everything, the guest only talk. The stranger is unknown. */
export const PEOPLE = {
  owner: "U01OWNER",
  guest: "U02GUEST",
  stranger: "U03STRANGER",
  group: "C01TEAM",
  otherGroup: "C99OTHER",
};

/** A message that the bot sent, as it is shown now. */
export interface ShownMessage {
  ts: string;
  place: string;
  text: string;
  /** The text for notifications, in which Slack interprets markup. */
  fallback: string;
  code: string | undefined;
  /** The values of the buttons by label. */
  buttons: Record<string, string>;
  thread: string | undefined;
}

type Fields = Record<string, unknown>;

export const BOT_TOKEN = "xoxb-slack-bot-test-token";
export const APP_TOKEN = "xapp-slack-app-test-token";
const BOT = "UBOT";

/** Returns the id of the direct conversation with a person. */
export function directOf(person: string): string {
  return `D${person}`;
}

/** A running server. */
export class SlackServer extends AppServer<string, ShownMessage> {
  /** The threads of the files, in their order. */
  readonly fileThreads: (string | undefined)[] = [];
  #next = 1;
  #socket: WebSocket | undefined;
  /** The envelopes that are not confirmed, in order. */
  #open: { envelope_id: string; [field: string]: unknown }[] = [];
  readonly #confirmed: string[] = [];
  readonly #started = new Map<string, { name: string; text: string }>();
  /** True if every envelope is confirmed. */
  get isRead(): boolean {
    return this.#open.length === 0;
  }

  /** Returns how often an envelope was confirmed. */
  confirmations(envelope: string): number {
    return this.#confirmed.filter((one) => one === envelope).length;
  }

  /** Sends a direct message of a person to the bot. Returns its payload, for repetitions. */
  say(person: string, text: string, more: Fields = {}): Fields {
    const event = {
      type: "message",
      channel: directOf(person),
      channel_type: "im",
      user: person,
      text,
      ts: this.#newTs(),
      client_msg_id: crypto.randomUUID(),
      ...more,
    };
    const payload = { type: "event_callback", event_id: `Ev${this.#next++}`, team_id: "T1", event };
    this.deliver("events_api", payload);
    return payload;
  }

  /** Mentions the bot in a channel. Returns the ts of the message. */
  mention(person: string, channel: string, text: string, more: Fields = {}): string {
    const payload = this.say(person, `<@${BOT}> ${text}`, {
      type: "app_mention",
      channel,
      channel_type: undefined,
      ...more,
    });
    return String((payload["event"] as Fields)["ts"]);
  }

  /** Presses a button of a message. `value` is what the person's app sends. */
  press(person: string, { ts, place }: Pick<ShownMessage, "ts" | "place">, value: string): void {
    this.deliver("interactive", {
      type: "block_actions",
      user: { id: person, username: person.toLowerCase(), team_id: "T1" },
      channel: { id: place, name: "directmessage" },
      container: { type: "message", message_ts: ts, channel_id: place },
      message: { type: "message", ts },
      trigger_id: `trigger-${this.#next++}`,
      actions: [{ type: "button", action_id: "button-0", block_id: "b", value }],
    });
  }

  /** Delivers a payload in a new envelope, also one that was delivered before. Returns the envelope's id. */
  deliver(type: string, payload: Fields, retry = 0): string {
    const envelope = {
      envelope_id: crypto.randomUUID(),
      type,
      payload,
      accepts_response_payload: false,
      ...(type === "events_api" && { retry_attempt: retry, retry_reason: retry ? "timeout" : "" }),
    };
    this.#open.push(envelope);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(envelope));
    return envelope.envelope_id;
  }

  /** Asks the client to reconnect, as Slack does every few hours. */
  recycle(): void {
    this.#socket?.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await until(() => this.#socket?.readyState !== WebSocket.OPEN, "the socket is closed");
    await super[Symbol.asyncDispose]();
  }

  protected override async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const method = pathname.split("/").at(-1) ?? "";
    if (pathname === "/link") return this.#connect(request);
    if (pathname.startsWith("/files-pri/")) {
      const isAllowed = request.headers.get("authorization") === `Bearer ${BOT_TOKEN}`;
      return isAllowed
        ? new Response(this.uploads.get(method) ?? "")
        : new Response(null, { status: 302, headers: { location: "/signin" } });
    }
    if (pathname.startsWith("/upload/")) {
      const file = (await request.formData()).get("body");
      const started = this.#started.get(method);
      if (!(file instanceof File) || started === undefined) {
        return new Response("", { status: 400 });
      }
      started.text = await file.text();
      return new Response("OK");
    }
    const body = Object.fromEntries(new URLSearchParams(await request.text()));
    this.calls.push(method);
    const token = method === "apps.connections.open" ? APP_TOKEN : BOT_TOKEN;
    if (request.headers.get("authorization") !== `Bearer ${token}`) return refuse("invalid_auth");
    const refusal = this.refusalOf(method);
    if (refusal !== undefined) return refusal;
    const result = this.#perform(method, body);
    return result instanceof Response ? result : Response.json({ ok: true, ...result });
  }

  #connect(request: Request): Response {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      this.#socket = socket;
      socket.send(JSON.stringify({ type: "hello", num_connections: 1 }));
      for (const envelope of this.#open) socket.send(JSON.stringify(envelope));
    };
    socket.onmessage = ({ data }) => {
      const { envelope_id: id } = JSON.parse(data);
      this.#confirmed.push(id);
      this.#open = this.#open.filter((one) => one.envelope_id !== id);
    };
    return response;
  }

  #perform(method: string, body: Record<string, string>): Fields | Response {
    const { channel = "", ts = "", text = "", user = "" } = body;
    switch (method) {
      case "auth.test":
        return { user_id: BOT, bot_id: "B1", team_id: "T1" };
      case "apps.connections.open":
        return { url: `${this.apiRoot.replace("http", "ws")}/link?ticket=1` };
      case "chat.postMessage": {
        const id = this.#newTs();
        const thread = body["thread_ts"];
        this.shown.push({ ts: id, place: channel, thread, ...toShown(body) });
        return { channel, ts: id };
      }
      case "chat.update": {
        const found = this.shown.find((one) => one.ts === ts && one.place === channel);
        if (found === undefined) return refuse("message_not_found");
        Object.assign(found, toShown(body));
        return { channel, ts, text };
      }
      case "chat.postEphemeral":
        this.whispers.push({ person: user, text: toShown(body).text });
        return { message_ts: this.#newTs() };
      case "conversations.open":
        return { channel: { id: directOf(body["users"] ?? "") } };
      case "users.info":
        return { user: { id: user, name: user.toLowerCase(), real_name: `Person ${user}` } };
      case "files.getUploadURLExternal": {
        const id = `F${this.#next++}`;
        this.#started.set(id, { name: body["filename"] ?? "", text: "" });
        return { upload_url: `${this.apiRoot}/upload/${id}`, file_id: id };
      }
      case "files.completeUploadExternal": {
        const [{ id }] = JSON.parse(body["files"] ?? "[{}]");
        const file = this.#started.get(id);
        if (file === undefined) return refuse("file_not_found");
        this.fileThreads.push(body["thread_ts"]);
        this.files.push({ place: body["channel_id"] ?? "", ...file });
        return { files: [{ id }] };
      }
      default:
        return refuse("unknown_method");
    }
  }

  #newTs(): string {
    return `${Math.floor(Date.now() / 1_000)}.${String(this.#next++).padStart(6, "0")}`;
  }
}

/** Returns Slack's refusal of a request. */
export function refuse(error: string, more: Fields = {}): Response {
  return Response.json({ ok: false, error, ...more });
}

function toShown(body: Record<string, string>): Omit<ShownMessage, "ts" | "place" | "thread"> {
  const blocks = JSON.parse(body["blocks"] ?? "[]");
  const [rich, ...actions] = blocks;
  const texts = (type: string) =>
    rich.elements.filter((one: Fields) => one["type"] === type)
      .flatMap((one: { elements: { text: string }[] }) => one.elements.map(({ text }) => text));
  const [code] = texts("rich_text_preformatted");
  const text = texts("rich_text_section").join("");
  if (text === "" || text.length + (code?.length ?? 0) > 4_000) {
    throw new TypeError(`A text of ${text.length} characters`);
  }
  const buttons = actions.flatMap((one: { elements: unknown[] }) => {
    if (one.elements.length > 25) throw new TypeError("More than 25 buttons in a block");
    return one.elements;
  });
  return {
    text,
    fallback: body["text"] ?? "",
    code,
    buttons: Object.fromEntries(
      buttons.map((one: { text: { text: string }; value: string }) => [one.text.text, one.value]),
    ),
  };
}
