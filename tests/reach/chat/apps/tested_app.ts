// The chat apps as tests use them: one interface over the local servers of Telegram, Slack and Discord.
import * as discord from "../discord/discord_server.ts";
import * as slack from "../slack/slack_server.ts";
import * as telegram from "../telegram_server.ts";
import { until } from "../../../support/until.ts";

/** A message that the bot sent, as it is shown now. */
export interface ShownMessage {
  id: string;
  place: string;
  text: string;
  code: string | undefined;
  /** The data of the buttons by label. */
  buttons: Record<string, string>;
  replyTo: string | undefined;
}

/** A file of a message. */
export interface SentFile {
  name: string;
  text: string;
  /** The address of the file, if it is not on the app's server. */
  address?: string;
}

/** The server of a chat app, with the people's side of the conversation. */
export interface TestedApp extends AsyncDisposable {
  /** The lines of the chat in config.yaml that only this app has. */
  readonly settings: string;
  /** The variables with the tokens. */
  readonly shell: Record<string, string>;
  /** The ids of people: the owner may do everything, the guest only talk, the third is unknown. */
  readonly owner: string;
  readonly guest: string;
  readonly stranger: string;
  /** A group that config.yaml binds, and one that it does not. */
  readonly group: string;
  readonly otherGroup: string;
  /** The mark of commands, and the name that the terminal shows for the stranger. */
  readonly mark: "/" | "!";
  readonly strangerName: string;
  readonly shown: readonly ShownMessage[];
  readonly files: readonly { place: string; name: string; text: string }[];
  /** The texts that only one person has seen after a press. */
  readonly whispers: readonly { person: string; text: string }[];
  /** The number of requests to send a message. */
  readonly sends: number;
  /** Resolves when the bot receives messages. Absent if the app keeps messages for a bot that connects later. */
  connected?(): Promise<void>;
  /** Returns the place of a person's direct conversation. */
  directOf(person: string): string;
  /** Writes a direct message. `replyTo` is a message of the bot. */
  say(
    person: string,
    text: string,
    more?: { replyTo?: string; isForwarded?: boolean; ageMs?: number; file?: SentFile },
  ): void;
  /** Addresses the bot in a group. Returns the id of the message. */
  mention(person: string, group: string, text: string): string;
  press(person: string, message: Pick<ShownMessage, "id" | "place">, data: string): void;
  /** Delivers the last direct message again. */
  repeat(): void;
  /** Refuses the next message with a pause of a second, or finally. Returns a part of the reason that the log must show. */
  pauseOnce(): void;
  refuseOnce(): string;
}

/** The tested apps by name. */
export const TESTED_APPS: Readonly<Record<string, () => TestedApp>> = {
  telegram: () => openTelegram(),
  slack: () => openSlack(),
  discord: () => openDiscord(),
};

/** Opens Telegram, with a server that a test can steer. */
export function openTelegram(server = new telegram.TelegramServer()): TestedApp {
  const pressers = new Map<string, string>();
  const groups = (id: string) => ({ chat: { id: Number(id), type: "group" } });
  return {
    settings: `type: telegram\n    token: CHAT_TOKEN\n    api_root: ${server.apiRoot}`,
    shell: { CHAT_TOKEN: telegram.TOKEN },
    ...{ owner: "77", guest: "78", stranger: "99", group: "-500", otherGroup: "-7" },
    ...{ mark: "/", strangerName: "Person 99" },
    get shown() {
      return server.shown.map((one) => ({
        ...one,
        id: `${one.id}`,
        place: `${one.place}`,
        replyTo: one.replyTo === undefined ? undefined : `${one.replyTo}`,
      }));
    },
    get files() {
      return server.files.map((one) => ({ ...one, place: `${one.place}` }));
    },
    get whispers() {
      return [...server.acknowledged].map(([press, text]) => ({
        person: pressers.get(press) ?? "",
        text,
      }));
    },
    get sends() {
      return server.calls.filter((one) => one === "sendMessage").length;
    },
    directOf: (person) => person,
    say(person, text, { replyTo, isForwarded = false, ageMs = 0, file } = {}) {
      if (file !== undefined) server.uploads.set("f1", file.text);
      server.say(Number(person), text, {
        date: Math.floor((Date.now() - ageMs) / 1_000),
        ...(replyTo !== undefined &&
          { reply_to_message: { message_id: Number(replyTo), from: { id: 999 } } }),
        ...(isForwarded && { forward_origin: { type: "hidden_user" } }),
        ...(file !== undefined &&
          { document: { file_id: "f1", file_unique_id: "u", file_name: file.name } }),
      });
    },
    mention: (person, group, text) =>
      `${server.say(Number(person), `@inkling_bot ${text}`, groups(group))}`,
    press(person, { id, place }, data) {
      const message = { id: Number(id), place: Number(place) };
      pressers.set(server.press(Number(person), message, data), person);
    },
    repeat: () => server.repeatAll(),
    pauseOnce() {
      const body = { description: "Too Many Requests", parameters: { retry_after: 1 } };
      const response = () => telegram.refuse(429, body);
      server.refusals.push({ method: "sendMessage", response });
    },
    refuseOnce() {
      const body = { description: "Forbidden: bot was blocked by the user" };
      server.refusals.push({ method: "sendMessage", response: () => telegram.refuse(403, body) });
      return "bot was blocked";
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Opens Slack, with a server that a test of Slack alone can steer. */
export function openSlack(server = new slack.SlackServer()): TestedApp {
  let last: Record<string, unknown> = {};
  const method = "chat.postMessage";
  return {
    settings:
      `type: slack\n    token: CHAT_TOKEN\n    app_token: CHAT_APP_TOKEN\n    api_root: ${server.apiRoot}`,
    shell: { CHAT_TOKEN: slack.BOT_TOKEN, CHAT_APP_TOKEN: slack.APP_TOKEN },
    ...slack.PEOPLE,
    mark: "!",
    strangerName: "Person U03STRANGER (@u03stranger)",
    get shown() {
      return server.shown.map(({ ts: id, thread: replyTo, ...one }) => ({ ...one, id, replyTo }));
    },
    files: server.files,
    whispers: server.whispers,
    get sends() {
      return server.calls.filter((one) => one === method).length;
    },
    directOf: slack.directOf,
    say(person, text, { replyTo, isForwarded = false, ageMs = 0, file } = {}) {
      if (file !== undefined) server.uploads.set("f1", file.text);
      const address = file?.address ?? `${server.apiRoot}/files-pri/f1`;
      last = server.say(person, text, {
        ...(ageMs > 0 && { ts: `${Math.floor((Date.now() - ageMs) / 1_000)}.000001` }),
        ...(replyTo !== undefined && { thread_ts: replyTo }),
        ...(isForwarded && { attachments: [{ is_share: true, text }] }),
        ...(file !== undefined &&
          { subtype: "file_share", files: [{ name: file.name, url_private_download: address }] }),
      });
    },
    mention: (person, group, text) => server.mention(person, group, text),
    press: (person, { id: ts, place }, data) => server.press(person, { ts, place }, data),
    repeat: () => void server.deliver("events_api", last, 1),
    pauseOnce() {
      const headers = { "retry-after": "1" };
      server.refusals.push({ method, response: () => new Response("", { status: 429, headers }) });
    },
    refuseOnce() {
      const response = () => slack.refuse("missing_scope", { needed: "chat:write" });
      server.refusals.push({ method, response });
      return "missing_scope; the app needs chat:write";
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Opens Discord, with a server that a test of Discord alone can steer. */
export function openDiscord(server = new discord.DiscordServer()): TestedApp {
  let last: unknown;
  const method = "POST /channels/messages";
  return {
    settings: `type: discord\n    token: CHAT_TOKEN\n    api_root: ${server.apiRoot}`,
    shell: { CHAT_TOKEN: discord.TOKEN },
    ...discord.PEOPLE,
    ...{ mark: "!", strangerName: "Person 79 (@person_79)" },
    shown: server.shown,
    files: server.files,
    whispers: server.whispers,
    get sends() {
      return server.calls.filter((one) => one === method).length;
    },
    connected: () => until(() => server.isConnected, "the bot is connected"),
    directOf: discord.directOf,
    say(person, text, { replyTo, isForwarded = false, ageMs = 0, file } = {}) {
      if (file !== undefined) server.uploads.set("f1", file.text);
      const url = file?.address ?? `${server.apiRoot.replace("/api", "/attachments/f1")}`;
      last = server.say(person, isForwarded ? "" : text, {
        ageMs,
        ...(replyTo !== undefined && { type: 19, message_reference: { message_id: replyTo } }),
        ...(isForwarded && {
          message_reference: { type: 1, message_id: "1" },
          message_snapshots: [{ message: { content: text } }],
        }),
        ...(file !== undefined && { attachments: [{ id: "1", filename: file.name, url }] }),
      });
    },
    mention: (person, group, text) => server.mention(person, group, text).id,
    press: (person, message, data) => server.press(person, message, data),
    repeat: () => server.deliver("MESSAGE_CREATE", last),
    pauseOnce() {
      server.refusals.push({ method, response: () => discord.refusePause(1) });
    },
    refuseOnce() {
      server.refusals.push({
        method,
        response: () => discord.refuse(403, "Missing Access", 50_001),
      });
      return "with 50001: Missing Access";
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
