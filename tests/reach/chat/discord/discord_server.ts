// A local server that speaks the wire formats of Discord's REST API and gateway, version 10, with the people's side of the
// conversation.
import { AppServer, readBody } from "../apps/app_server.ts";
import { until } from "../../../support/until.ts";

/** A message that the bot sent, as it is shown now. */
export interface ShownMessage {
  id: string;
  place: string;
  /** The text without the backslashes before marks. */
  text: string;
  content: string;
  code: string | undefined;
  /** The data of the buttons by label. */
  buttons: Record<string, string>;
  replyTo: string | undefined;
}

type Fields = Record<string, unknown>;

interface StoredMessage extends Fields {
  id: string;
  channel_id: string;
}

export const TOKEN = "discord.test.token";
export const BOT = "900000000000000001";
const APPLICATION = "900000000000000002";
const GUILD = "900000000000000003";
const EPOCH_MS = 1_420_070_400_000;
/** The events of direct messages and of messages in servers. The content of messages needs no event. */
const INTENTS = (1 << 12) | (1 << 9);

/** The ids of people and channels. Discord's ids are too large for numbers in YAML. */
export const PEOPLE = {
  owner: "803511102246789177",
  guest: "803511102246789178",
  stranger: "803511102246789179",
  group: "500000000000000001",
  otherGroup: "500000000000000002",
};

/** Returns the id of the direct conversation with a person. */
export function directOf(person: string): string {
  return `7${person.slice(1)}`;
}

/** A running server. */
export class DiscordServer extends AppServer<string, ShownMessage> {
  /** The places that the bot cannot read. */
  readonly closedPlaces = new Set<string>();
  /** The milliseconds between heartbeats. */
  heartbeatMs = 41_250;
  /** The bodies of messages as they arrived. */
  readonly bodies: Fields[] = [];
  #next = 1;
  #socket: WebSocket | undefined;
  #session: { id: string; events: Fields[] } | undefined;
  readonly #history: StoredMessage[] = [];
  readonly #presses = new Map<string, { person: string; isDeferred: boolean }>();
  override get apiRoot(): string {
    return `${super.apiRoot}/api`;
  }

  /** True while a bot is connected and identified. */
  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN && this.#session !== undefined;
  }

  /** Writes a message of a person. Without `more`, it is a direct message to the bot. Returns it, for repetitions. */
  say(
    person: string,
    content: string,
    { ageMs = 0, channel = directOf(person), ...more }: Fields & {
      ageMs?: number;
      channel?: string;
    } = {},
  ): StoredMessage {
    const sentAt = Date.now() - ageMs;
    const message = {
      id: this.#newId(sentAt),
      channel_id: channel,
      type: 0,
      author: {
        id: person,
        username: `person_${person.slice(-2)}`,
        global_name: `Person ${person.slice(-2)}`,
        discriminator: "0",
        avatar: null,
      },
      content,
      timestamp: new Date(sentAt).toISOString(),
      edited_timestamp: null,
      mentions: [],
      mention_roles: [],
      mention_everyone: false,
      attachments: [],
      embeds: [],
      pinned: false,
      tts: false,
      ...more,
    };
    this.#history.push(message);
    this.deliver(
      "MESSAGE_CREATE",
      channel === directOf(person) ? message : {
        ...message,
        guild_id: GUILD,
      },
    );
    return message;
  }

  /** Mentions the bot in a channel of a server. */
  mention(person: string, channel: string, text: string, more: Fields = {}): StoredMessage {
    const mentions = [{ id: BOT, username: "inkling", bot: true }];
    return this.say(person, `<@${BOT}> ${text}`, { channel, mentions, ...more });
  }

  /** Presses a button of a message. `data` is what the person's app sends. */
  press(
    person: string,
    { id, place }: Pick<ShownMessage, "id" | "place">,
    data: string,
    more: Fields = {},
  ): void {
    const token = `press-token-${this.#next++}`;
    this.#presses.set(token, { person, isDeferred: false });
    const user = { id: person, username: `person_${person.slice(-2)}`, global_name: null };
    const isDirect = place.startsWith("7");
    this.deliver("INTERACTION_CREATE", {
      id: this.#newId(),
      application_id: APPLICATION,
      type: 3,
      token,
      version: 1,
      channel: { id: place, type: isDirect ? 1 : 0 },
      channel_id: place,
      ...(isDirect ? { user, context: 1 } : { member: { user }, guild_id: GUILD, context: 0 }),
      message: { id, channel_id: place },
      data: { component_type: 2, custom_id: data },
      ...more,
    });
  }

  /** Sends an event to the session, or keeps it for a session that will be resumed. */
  deliver(t: string, d: unknown): void {
    if (this.#session === undefined) return;
    const event = { op: 0, t, s: this.#session.events.length + 2, d };
    this.#session.events.push(event);
    this.#send(event);
    void this.afterEffect(t);
  }

  /** Sends an opcode of the gateway. */
  command(op: number, d: unknown = null): void {
    this.#send({ op, d, s: null, t: null });
  }

  /** Closes the connection. The session stays for a resumption, unless `isForgotten`. */
  drop(code: number, { isForgotten = false } = {}): void {
    if (isForgotten) this.#session = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(code);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await until(() => this.#socket?.readyState !== WebSocket.OPEN, "the gateway is closed");
    await super[Symbol.asyncDispose]();
  }

  #send(payload: Fields): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(payload));
  }

  #connect(request: Request): Response {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      this.#socket = socket;
      this.command(10, { heartbeat_interval: this.heartbeatMs });
    };
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(data));
    socket.onclose = ({ code }) => {
      // Closing normally ends the session.
      if (this.#socket === socket && (code === 1_000 || code === 1_001)) this.#session = undefined;
    };
    return response;
  }

  #hear({ op, d }: { op: number; d: Fields }): void {
    this.calls.push(`op ${op}`);
    const isOwn = d?.["token"] === TOKEN;
    if (op === 1) return this.command(11);
    if (op === 2) {
      if (!isOwn) return this.drop(4_004);
      if (d["intents"] !== INTENTS) return this.drop(4_014);
      this.#session = { id: `session-${this.#next++}`, events: [] };
      return this.#send({
        op: 0,
        t: "READY",
        s: 1,
        d: {
          v: 10,
          user: { id: BOT, username: "inkling", bot: true },
          guilds: [],
          session_id: this.#session.id,
          resume_gateway_url: this.#gateway,
          application: { id: APPLICATION, flags: 0 },
        },
      });
    }
    if (op !== 6) return;
    if (!isOwn || d["session_id"] !== this.#session?.id) return this.command(9, false);
    const seen = Number(d["seq"]);
    for (const event of this.#session!.events) {
      if (Number(event["s"]) > seen) this.#send(event);
    }
    this.#send({ op: 0, t: "RESUMED", s: this.#session!.events.length + 1, d: {} });
  }

  get #gateway(): string {
    return this.apiRoot.replace("http", "ws").replace("/api", "/gateway");
  }

  protected override async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith("/gateway")) return this.#connect(request);
    if (pathname.startsWith("/attachments/")) {
      // No server of files gets the token.
      if (request.headers.has("authorization")) return new Response("token", { status: 400 });
      return new Response(this.uploads.get(pathname.split("/").at(-1) ?? "") ?? "");
    }
    const path = pathname.replace("/api/v10", "");
    const method = `${request.method} ${path.replaceAll(/\/\d{17,}/g, "")}`
      .replace(/press-token-\d+/, "token");
    this.calls.push(method);
    const isOpen = path.startsWith("/interactions/") || path.startsWith("/webhooks/");
    if (!isOpen && request.headers.get("authorization") !== `Bot ${TOKEN}`) {
      return refuse(401, "401: Unauthorized", 0);
    }
    const body = await readBody(request);
    const refusal = this.refusalOf(method);
    if (refusal !== undefined) return refusal;
    if (!await this.isReceived(method)) return new Response(null, { status: 500 });
    const response = await this.#perform(method, { path, body, query: searchParams });
    await this.afterEffect(method);
    return response;
  }

  async #perform(
    method: string,
    { path, body, query }: { path: string; body: Fields; query: URLSearchParams },
  ): Promise<Response> {
    const [, , place = "", , id] = path.split("/");
    switch (method) {
      case "GET /users/@me":
        return Response.json({ id: BOT, username: "inkling", bot: true });
      case "GET /gateway/bot":
        return Response.json({
          url: this.#gateway,
          shards: 1,
          session_start_limit: {
            total: 1_000,
            remaining: 999,
            reset_after: 86_400_000,
            max_concurrency: 1,
          },
        });
      case "POST /users/@me/channels":
        return Response.json({ id: directOf(String(body["recipient_id"])), type: 1 });
      case "GET /channels/messages": {
        if (this.closedPlaces.has(place)) return refuse(403, "Missing Access", 50_001);
        const after = BigInt(query.get("after") ?? 0);
        const found = this.#history.filter((one) =>
          one.channel_id === place && BigInt(one.id) > after
        );
        return Response.json(found.slice(0, Number(query.get("limit"))).reverse());
      }
      case "POST /channels/messages":
        return await this.#post(place, body);
      case "PATCH /channels/messages": {
        const found = this.shown.find((one) => one.id === id && one.place === place);
        if (found === undefined) return refuse(404, "Unknown Message", 10_008);
        Object.assign(found, toShown(body));
        return Response.json({ id });
      }
      case "POST /channels/typing":
        return new Response(null, { status: 204 });
    }
    const token = path.split("/").find((part) => part.startsWith("press-token-")) ?? "";
    const press = this.#presses.get(token);
    if (method === "POST /interactions/token/callback" && press !== undefined) {
      if (press.isDeferred || body["type"] !== 6) {
        return refuse(400, "Already acknowledged", 40_060);
      }
      press.isDeferred = true;
      return new Response(null, { status: 204 });
    }
    if (method === "POST /webhooks/token" && press?.isDeferred) {
      if (body["flags"] !== 68) return refuse(400, "Everybody would see this", 50_035);
      this.whispers.push({ person: press.person, text: toShown(body).text });
      return Response.json({ id: this.#newId() });
    }
    return refuse(404, "Unknown", 10_015);
  }

  async #post(place: string, body: Fields): Promise<Response> {
    this.bodies.push(body);
    const file = body["files[0]"];
    const id = this.#newId();
    if (file instanceof File) {
      this.files.push({ place, name: file.name, text: await file.text() });
    } else {
      const reply = body["message_reference"] as { message_id: string } | undefined;
      this.shown.push({ id, place, replyTo: reply?.message_id, ...toShown(body) });
    }
    const author = { id: BOT, username: "inkling", bot: true };
    const timestamp = new Date().toISOString();
    this.#history.push({
      ...{ id, channel_id: place, type: 0, author, content: String(body["content"]), timestamp },
      ...{ mentions: [], attachments: [] },
    });
    return Response.json({ id, channel_id: place });
  }

  #newId(ms: number = Date.now()): string {
    return String((BigInt(ms - EPOCH_MS) << 22n) + BigInt(this.#next++));
  }
}

/** Returns Discord's refusal of a request. */
export function refuse(status: number, message: string, code: number): Response {
  return Response.json({ message, code }, { status });
}

/** Returns Discord's request for a pause. */
export function refusePause(seconds: number): Response {
  return Response.json({ message: "You are being rate limited.", retry_after: seconds }, {
    status: 429,
    headers: { "retry-after": `${seconds}`, "x-ratelimit-scope": "user" },
  });
}

function toShown(body: Fields): Pick<ShownMessage, "text" | "content" | "code" | "buttons"> {
  const content = String(body["content"]);
  if (content === "" || content.length > 2_000) {
    throw new TypeError(`A text of ${content.length} characters`);
  }
  if (JSON.stringify(body["allowed_mentions"]) !== '{"parse":[]}') {
    throw new TypeError("The text can notify people");
  }
  const rows = body["components"] as {
    components: { label: string; custom_id: string }[];
  }[];
  const buttons = rows.flatMap(({ components }) => {
    if (components.length > 5) throw new TypeError("More than 5 buttons in a row");
    return components;
  });
  const ids = new Set(buttons.map((one) => one.custom_id));
  if (rows.length > 5 || ids.size !== buttons.length || [...ids].some((id) => id.length > 100)) {
    throw new TypeError("Discord would refuse these buttons");
  }
  const [, before = "", code] = /^([\s\S]*?)(?:```\n([\s\S]*)\n```)?$/.exec(content) ?? [];
  return {
    content,
    text: before.replaceAll(/\\([^0-9A-Za-z\s])/g, "$1"),
    code,
    buttons: Object.fromEntries(buttons.map((one) => [one.label, one.custom_id])),
  };
}
